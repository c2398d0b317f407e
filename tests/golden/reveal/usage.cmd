met tree reveal --n 8
met tree reveal --lib a.so --n 8
met tree reveal --lib a.so --symbol cblas_sdot
met tree reveal --lib a.so --symbol cblas_sdot --n 8x
met tree reveal --lib a.so --symbol cblas_sdot --n 1..1000
met tree reveal --lib a.so --symbol cblas_sdot --n 0
met tree reveal --lib a.so --symbol cblas_sdot --n 99999999999
met tree reveal --lib a.so --symbol cblas_sdot --n 8 --m 4
met tree reveal --lib a.so --symbol cblas_sgemv --n 8 --m 4 --row 4
met tree reveal --lib a.so --symbol cblas_sgemm --k 8 --m 100000 --n 100000
met tree reveal --lib a.so --symbol cblas_sdot --n 8 --kind product
met tree reveal --lib a.so --symbol cblas_sdot --n 8 --method guess
met tree reveal --lib a.so --symbol cblas_sdot --n 8 --threads 0
met tree reveal --lib a.so --symbol cblas_sdot --n 8 --limit soon
met tree reveal --lib a.so --command 'x {in} {out}' --n 8
met tree reveal --command 'x {in} {out}' --n 8 --offset 1
met tree reveal --command 'x {in} {out}' --n 8 --dtype i32
met tree reveal --lib a.so --symbol cblas_sgemm --n 8 --transpose c
met tree reveal --lib a.so --symbol cblas_sdot --n 18446744073709551615
met tree reveal --lib a.so --symbol cblas_sdot --n 8,18446744073709551610..18446744073709551615
met tree reveal --lib a.so --symbol cblas_sdot --n 8 --offset 18446744073709551615
met tree reveal --lib a.so --symbol cblas_sdot --n 8 --threads 18446744073709551615
