# a key that changes what the model computes, and that met does not know
cat >config.json <<'END'
{"model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4, "num_key_value_heads": 2,
 "num_hidden_layers": 2, "vocab_size": 256, "rms_norm_eps": 1e-5, "secret_gate": true}
END
met circuit show llama --config config.json
