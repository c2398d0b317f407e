attention="'q d, x d -> q x' @ softmax[x] @ 'q x, x e -> q e'"
sizes=q=1024,x=1024,d=64,e=64
met circuit cost "$attention" --set $sizes --curve M=100..1e6
met circuit cost "$attention" --set $sizes --curve L=16KiB..1MiB --json
met circuit cost "$attention" --set $sizes --curve M=1e3..1e6 -o curve.svg && cat curve.svg
met circuit cost "$attention" --set $sizes --curve L2=16KiB..16MiB --theme blueprint -o - | grep -c '<path'
