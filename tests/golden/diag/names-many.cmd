# names that nothing defines and options that no op has, in one program, are reported together
cat >program.met <<'END'
q: n h d
s = einsm[d](q)
t = softmax[m](u)
y = rmsnorm[d](q, @g, epz=1e-6)
z = silu(t)
-> y, w
END
met circuit show program.met
