# several mistakes in one program are reported together
cat >program.met <<'END'
norm(x: n m) -> y {
  y = rmsnorm[m](x @g)
}
mid = exp @ @ log
both(x: n m -> y { y = exp(x) }
ends = 'n m, m' @ log
END
met circuit show program.met
