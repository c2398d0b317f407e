# a million characters, a hundred thousand brackets
many() { printf "%$2s" | sed "s/ /$1/g"; }
try() { # the status, and the first diagnostic in short
    status=0
    met circuit show - >out 2>err || status=$?
    echo "$status: $(head -1 err | cut -c 1-100)"
}
{ many 'exp @ ' 166666; echo exp; } | try
many a 1000000 | try
many '(' 100000 | try
{ many '(' 50000; printf exp; many ')' 50000; } | try
many '-' 100000 | try
many 'exp[' 100000 | try
many 'f(' 100000 | try
many 'n >> ' 100000 | try
{ printf "x: n\nmap['n -> n'](x, { a"; many '+a' 100000; echo ' })'; } | try
{ printf "x: n\nmap['n -> n'](x, { "; many 'exp(' 100000; } | try
{ printf 'x: n=m'; many '*m' 100000; printf '\nexp(x)\n'; } | try
{ for i in $(seq 1 60); do echo "f$i = f$((i + 1)) @ f$((i + 1))"; done; echo 'f61 = exp'; echo f1; } | try
{ for i in $(seq 1 28); do echo "let a$i = a$((i + 1))*a$((i + 1))"; done; printf 'x: a1\nexp(x)\n'; } | try
{ for i in $(seq 1 60); do echo "let a$i = a$((i + 1)) + b*a$((i + 1)) + 1"; done; printf 'let a61 = n\nx: a1\nexp(x)\n'; } | try
{ for i in $(seq 1 300); do echo "f$i = f$((i + 1))"; done; echo 'f301 = exp'; echo f1; } | try
{ for i in $(seq 1 200); do echo "f$i = )"; done; } | try
tail -1 err
{ printf 'x:'; for i in $(seq 1 40); do printf " a$i"; done; printf '\nexp(x)\n'; } | try
