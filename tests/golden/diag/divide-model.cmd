# heads that do not divide the width: the rule, and both numbers with their places
cat >config.json <<'END'
{"model_type": "llama", "hidden_size": 65, "intermediate_size": 128, "num_attention_heads": 4, "num_key_value_heads": 2,
 "num_hidden_layers": 2, "vocab_size": 256, "rms_norm_eps": 1e-5}
END
met circuit show llama --config config.json
