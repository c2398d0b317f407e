# bounds of straight-line programs: text, JSON, a range, options, what has none
met budget case/straight.fpcore --work 100000
met budget case/straight.fpcore --work 20000 --range x=0:1 --range u=0:1 --json
met budget '(FPCore (a b) :pre (and (<= 0 a 1) (<= 0 b 1) (> a b) (!= a 1)) (sqrt (- a b)))' --rounded-inputs --work 20000
met budget '(FPCore (a b) :pre (and (<= 0 a 1) (<= 0 b 1) (> a b)) (sqrt (- a b)))' --box-only --work 20000
met budget '(FPCore (x) (/ 1 x))' --range x=-1:1 --work 20000
met budget '(FPCore (x) :precision binary32 :pre (<= -1 x 1) (/ 1 x))' --work 20000
met budget '(FPCore (x) :pre (<= 1 x 2) (+ x 1))'
met budget '(FPCore (x) (/ 1 x))' --range y=-1:1
met budget '(FPCore (x) (/ 1 x))' --range x=1:0
met budget '(FPCore (x) (if (< x 0) x 1))'
