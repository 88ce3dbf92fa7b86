//! Launches of kernels in host files: what is read, and what is left alone because the file does not say it.

use warplens_host::{Number, by_extension};

/// Each launch as `kernel<template> grid x block +shared (arguments)`.
fn launches(extension: &str, text: &str) -> Vec<String> {
    let host = by_extension(extension).expect("a host");
    let shown = |number: &Option<Number>| match number {
        Some(Number::Integer(value)) => value.to_string(),
        Some(Number::Float(value)) => format!("{value:?}"),
        None => "?".to_owned(),
    };
    let size = |[x, y, z]: [u32; 3]| match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("{x},{y}"),
        _ => format!("{x},{y},{z}"),
    };
    let found = host.launches(text).into_iter().map(|launch| {
        let mut line = launch.kernel.clone();
        if !launch.template.is_empty() {
            let parts: Vec<_> = launch.template.iter().map(|part| part.as_deref().unwrap_or("?")).collect();
            line += &format!("<{}>", parts.join(", "));
        }
        line += &format!(" {} x {}", size(launch.grid), size(launch.block));
        if let Some(shared) = launch.shared.filter(|shared| *shared > 0) {
            line += &format!(" +{shared}");
        }
        if let Some(arguments) = &launch.arguments {
            line += &format!(" ({})", arguments.iter().map(shown).collect::<Vec<_>>().join(", "));
        }
        line
    });
    found.collect()
}

#[track_caller]
fn check(extension: &str, text: &str, expected: &[&str]) {
    assert_eq!(launches(extension, text), expected, "{text}");
}

#[test]
fn sizes_of_cuda_launches() {
    for (text, expected) in [
        ("void f() { k<<<4, 256>>>(x, 100, 2.5f, -3); }", "k 4 x 256 (?, 100, 2.5, -3)"),
        ("void f() { k<<<dim3(2, 3), dim3(16, 16, 2), 1 << 10, stream>>>(); }", "k 2,3 x 16,16,2 +1024 ()"),
        (
            "const int B = 128;\nvoid f() { const int n = 1000; k<<<(n + B - 1) / B, B>>>(n); }",
            "k 8 x 128 (1000)",
        ),
        ("#define B 0x40u\nvoid f() { k<<<1'000, B * 2>>>(); }", "k 1000 x 128 ()"),
        (
            "#define CDIV(a, b) (((a) + (b) - 1) / (b))\nvoid f() { k<<<CDIV(100 + 1, 32), 32>>>(); }",
            "k 4 x 32 ()",
        ),
        (
            "constexpr int up(int a, int b) { return (a + b - 1) / b; }\nvoid f() { k<<<up(65, 32), 32>>>(); }",
            "k 3 x 32 ()",
        ),
        (
            "void f() { int n = 1 << 20, b = 256; dim3 g((n + b - 1) / b), t{unsigned(b)}; k<<<g, t>>>(); }",
            "k 4096 x 256 ()",
        ),
        (
            "void f() { dim3 t(16, 16); dim3 g = dim3(64 / t.x, 64 / t.y); k<<<g, t, t.x * t.y * sizeof(float)>>>(); }",
            "k 4,4 x 16,16 +1024 ()",
        ),
        ("void f() { auto g = cuda::ceil_div(100, 32); k<<<g, 32>>>(); }", "k 4 x 32 ()"),
        ("void f() { int n = 1000; k<<<ceil(n / 256.0f), 256>>>(n); }", "k 4 x 256 (1000)"),
        ("void f() { int n = 1000; k<<<(int)ceil((float)n / 256), 256>>>(); }", "k 4 x 256 ()"),
        (
            "namespace a { struct C { static constexpr int kB = 64; }; }\nvoid f() { k<<<1, a::C::kB>>>(); }",
            "k 1 x 64 ()",
        ),
        ("void f() { ns::k<float, (3 > 2), 128><<<1, 32>>>(); }", "ns::k<float, 1, 128> 1 x 32 ()"),
        ("template <typename T> void f() { k<T><<<1, 32>>>(g<1, 2>(3), 4); }", "k<?> 1 x 32 (?, 4)"),
        ("void f() { cudaLaunchKernel((void*)k, dim3(4), dim3(64), args, 16, 0); }", "k 4 x 64 +16"),
        (
            "void f() { int n = 64; void* args[] = {&n}; cudaLaunchCooperativeKernel((const void*)k<float>, 2, n, args); }",
            "k<float> 2 x 64",
        ),
        (
            "void f() { CUfunction h; cuModuleGetFunction(&h, m, \"saxpy\"); cuLaunchKernel(h, 4, 1, 1, 128, 1, 1, 0, s, a, 0); }",
            "saxpy 4 x 128",
        ),
        ("#ifndef N\n#define N 7\n#endif\nvoid f() { k<<<N, 32>>>(); }", "k 7 x 32 ()"),
        (
            "static int n = 3;\nint main() { int size = n * 32; float *x = new float[size]; g(n + 1); k<<<n, 32>>>(x, size); }",
            "k 3 x 32 (?, 96)",
        ),
        (
            "void h(int a) {}\nint main() { int n = 3; h(n); std::vector<float> v(n); cudaMalloc(&p, n); k<<<n, 32>>>(v); }",
            "k 3 x 32 (?)",
        ),
        ("void f() { for (int i = 0; i < 4; i++) k<<<2, 64>>>(i); }", "k 2 x 64 (?)"),
        ("#if 0\nk<<<1, 1>>>();\n#endif\n// k<<<1, 2>>>()\nvoid f() { k<<<1, 3>>>(); }", "k 1 x 3 ()"),
    ] {
        check("cu", text, &[expected]);
    }
}

#[test]
fn what_a_file_does_not_say_is_not_read() {
    for text in [
        "void f(int n) { k<<<n, 256>>>(); }",
        "const int n = 4;\nvoid f(int n) { k<<<n, 256>>>(); }",
        "const int n = 4;\ntemplate <int n> void f() { k<<<n, 256>>>(); }",
        "const int n = 4;\nvoid f() { for (int n = 0; n < 3; n++) k<<<n, 256>>>(); }",
        "const int n = 4;\nvoid f() { for (int n : sizes) { k<<<n, 256>>>(); } }",
        "const int n = 4;\nvoid f() { auto g = [](int n) { k<<<n, 256>>>(); }; }",
        "struct S { void f() { k<<<n, 256>>>(); } int n = atoi(s); };\nconst int n = 4;",
        "const int n = 4;\nstruct S { void f() { k<<<n, 256>>>(); } int n; };",
        "int main(int argc, char** argv) { int n = 4; if (argc > 1) n = atoi(argv[1]); k<<<n, 256>>>(); }",
        "int main() { int n = 4; n *= 2; k<<<n, 256>>>(); }",
        "int main() { int n = 4; n <<= 2; k<<<n, 256>>>(); }",
        "int main() { int n = 4; while (n--) k<<<n, 256>>>(); }",
        "int main() { int n = 4; cudaGetDevice(&n); k<<<n, 256>>>(); }",
        "int main() { int n = 4; std::cin >> n; k<<<n, 256>>>(); }",
        "int main() { int n = 4; parse(argc, n); k<<<n, 256>>>(); }",
        "void h(int& a) { a = 3; }\nint main() { int n = 4; h(n); k<<<n, 256>>>(); }",
        "int main() { int n = 4; int& r = n; r = 5; k<<<n, 256>>>(); }",
        "int main() { dim3 g(4); g.x = 5; k<<<g, 256>>>(); }",
        "int main() { int n = argc > 1 ? 3 : 4; k<<<n, 256>>>(); }",
        "struct O { int n = 4; void f() { k<<<n, 256>>>(); } };\nvoid g(O& o) { o.n = 5; }",
        "#ifdef A\n#define N 4\n#else\n#define N 5\n#endif\nvoid f() { k<<<N, 256>>>(); }",
        "#ifdef A\nconst int n = 4;\n#else\nconst int n = 5;\n#endif\nvoid f() { k<<<n, 256>>>(); }",
        "#define N 4 + 4\nvoid f() { k<<<N * 2, 256>>>(); }",
        "#define HALF(a) (a / 2)\nvoid f() { k<<<HALF(4 + 4), 256>>>(); }",
        "extern const int n;\nvoid f() { k<<<n, 256>>>(); }",
        "namespace a { const int n = 4; }\nconst int n = 5;\nvoid f() { k<<<b::n, 256>>>(); }",
        "void f() { k<<<4, 2048>>>(); k<<<0, 32>>>(); k<<<4, -1>>>(); }",
        "void f() { k<<<4, 32, bytes>>>(); }",
        "void f() { k<<<4, 32>>>; }",
        "void f() { std::cout << x <<< 3; }",
        "void f() { cuLaunchKernel(h, 4, 1, 1, 128, 1, 1, 0, s, a, 0); }",
        "const int n = 1.5f / 0;\nvoid f() { k<<<n, 32>>>(); }",
        "const int a = b;\nconst int b = a;\nvoid f() { k<<<b, 32>>>(); }",
    ] {
        check("cu", text, &[]);
    }
}

const TRITON: &str = "\
import triton
import triton.language as tl

BLOCK = 1024

def cdiv(a, b):
    return (a + b - 1) // b

@triton.jit
def add(x, y, n, BLOCK_SIZE: tl.constexpr):
    pass

";

#[test]
fn launches_of_python() {
    for (text, expected) in [
        ("add[(4,)](x, y, 4096, BLOCK_SIZE=1024, num_warps=8)", "add 4 x 256 (?, ?, 4096)"),
        (
            "def run(x, y):\n    n = 10_000\n    grid = lambda meta: (triton.cdiv(n, meta['BLOCK_SIZE']),)\n    add[grid](x, y, n, BLOCK_SIZE=BLOCK)",
            "add 10 x 128 (?, ?, 10000)",
        ),
        (
            "def run(x, y):\n    grid = (cdiv(3000, BLOCK), 2)\n    add[grid](x, y, 3000, BLOCK_SIZE=BLOCK)",
            "add 3,2 x 128 (?, ?, 3000)",
        ),
        (
            "grid = (\n    BLOCK // 256,\n)\nadd[grid](\n    x, y,\n    n=1, BLOCK_SIZE=4,\n)",
            "add 4 x 128 (?, ?)",
        ),
        ("add[(4,)](, y, 10, BLOCK_SIZE=4)", "add 4 x 128"),
        ("@cuda.jit\ndef scale(a, f):\n    pass\n\nscale[32, (8, 8)](a, 2.5)", "scale 32 x 8,8"),
    ] {
        check("py", &format!("{TRITON}{text}\n"), &[expected]);
    }
}

#[test]
fn what_python_computes_is_not_read() {
    for text in [
        "add[grid](x, y, n, BLOCK_SIZE=1024)",
        "def run(n):\n    add[(n,)](x, y, n, BLOCK_SIZE=1024)",
        "n = 4\ndef run(n):\n    add[(n,)](x, y, n, BLOCK_SIZE=1024)",
        "n = 4\nfor n in range(3):\n    add[(n,)](x, y, n, BLOCK_SIZE=1024)",
        "n = 4\nn += 1\nadd[(n,)](x, y, n, BLOCK_SIZE=1024)",
        "n = 4\nn, m = sizes()\nadd[(n,)](x, y, n, BLOCK_SIZE=1024)",
        "def run(x):\n    n = x.numel()\n    add[(n,)](x, y, n, BLOCK_SIZE=1024)",
        "def other():\n    n = 4\ndef run():\n    add[(n,)](x, y, n, BLOCK_SIZE=1024)",
        "n = 4\ndef run():\n    global n\n    n = 5\nadd[(n,)](x, y, n, BLOCK_SIZE=1024)",
        "class A:\n    n = 4\n    def run(self):\n        add[(n,)](x, y, n, BLOCK_SIZE=1024)",
        "add[(4,)](x, y, 4096, BLOCK_SIZE=1024, num_warps=warps)",
        "@triton.autotune(\n    configs=[a, b],\n    key=['n'],\n)\n@triton.jit\ndef tuned(x):\n    pass\ntuned[(4,)](x)",
        "items[0](x)\nitems[(4,)](x)",
    ] {
        check("py", &format!("{TRITON}{text}\n"), &[]);
    }
}
