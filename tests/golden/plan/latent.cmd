# scores that are a sum are one kernel with what is made of them: of prompts, and where queries come in the latent space
plan() { met circuit plan "$@" | sed -n '/ attention_/{N;p;}' | uniq; }
for hardware in cpu-avx2 h200-sxm; do
    plan deepseek_v3 --toy --mode prefill --hardware $hardware
    plan deepseek_v3 --toy --mode decode --hardware $hardware
done
cat >latent.met <<'END'
attend(q: q h c, r: q h p, l: x c, k: x p) -> y {
  s = add('q h c, x c -> h q x'(q, l), 'q h p, x p -> h q x'(r, k))
  y = 'h q x, x c -> q h c'(softmax[x](s), l)
}
circuit main(q: q h c, r: q h p, l: x c, k: x p) -> y { y = attend(q, r, l, k) }
END
plan latent.met --set q=2,h=4,c=16,p=8,x=32 --dtype bf16 --hardware h200-sxm
# all bytes are those of one kernel an op
met circuit diff latent.met --set q=2,h=4,c=16,p=8,x=32 --a none@cpu-scalar --b greedy@cpu-scalar --fill wave
