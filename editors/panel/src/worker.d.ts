// A script as text, bundled by the build.
declare module 'worker:graph' {
  const script: string;
  export default script;
}
