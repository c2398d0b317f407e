# what a record may not say: a thing twice, half a lane
met tree show 'sequential, rz, rne' --n 4
met tree show 'sequential, store f32, store f16' --n 4
met tree show 'sequential, store bf16, f64' --n 4 | head -1
cat >width.json <<'END'
{"format": "met-tree-1", "levels": [{"place": "lane", "layout": "strided", "width": 1.5, "order": "sequential"}], "combine": "sequential"}
END
met tree show width.json --n 4
