# one time an operation: of what, on what, and at what speed; here on a device that only a file of one's own has
{ echo '[[device]]'; sed -n 's/^id = "h200-sxm"/id = "mine"/; /^id = "mine"/,/^$/p' kernels/DEVICES.toml; } >mine.toml
met circuit plan llama-3.1-8b --layers 2 --mode decode --cost nodes --hardware mine --device-file mine.toml
met circuit plan "rmsnorm[m]" --set m=64 --hardware mine --device-file mine.toml --cost nodes
