# an architecture alone; one layer; with the sizes of a model
met circuit show llama --layers 1
cat >config.json <<'END'
{"model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4, "num_key_value_heads": 2,
 "num_hidden_layers": 2, "vocab_size": 256, "rms_norm_eps": 1e-5, "max_position_embeddings": 128, "hidden_act": "silu",
 "rope_theta": 10000.0, "tie_word_embeddings": false}
END
met circuit show llama --config config.json --layers 1 --mode decode
