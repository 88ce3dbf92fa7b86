// A script as text, bundled by the build.
declare module 'worker:*' {
  const script: string;
  export default script;
}
