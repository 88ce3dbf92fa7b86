use std::time::Instant;
use warplens_syntax::{ItemList, parse_item, wave::LANGUAGE};
fn cpu() -> f64 {
    let s = std::fs::read_to_string("/proc/self/schedstat").unwrap();
    s.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}
fn main() {
    let text = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    let n: usize = std::env::args().nth(2).map_or(10, |n| n.parse().unwrap());
    let (mut bp, mut bl, mut bt, mut bi) = (9.9f64, 9.9f64, 9.9f64, 9.9f64);
    for _ in 0..n {
        let t0 = cpu();
        let list = ItemList::new(LANGUAGE, &text);
        let items = list.items();
        let ti = cpu() - t0;
        let (mut p, mut l) = (0., 0.);
        let mut keep = Vec::new();
        for chunk in items.chunks(64) {
            let a = Instant::now();
            let parses: Vec<_> = chunk.iter().map(|i| parse_item(LANGUAGE, &i.text)).collect();
            let b = Instant::now();
            for q in &parses {
                keep.push(warplens_hir::wave::lower(q.root()));
            }
            l += b.elapsed().as_secs_f64();
            p += (b - a).as_secs_f64();
            keep.clear();
        }
        let t = cpu() - t0;
        bp = bp.min(p);
        bl = bl.min(l);
        bt = bt.min(t);
        bi = bi.min(ti);
    }
    println!("items {:.1} parse {:.1} lower {:.1} total {:.1} ms", bi * 1e3, bp * 1e3, bl * 1e3, bt * 1e3);
}
