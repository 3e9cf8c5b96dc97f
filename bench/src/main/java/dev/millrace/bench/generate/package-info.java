/** Speed of language models: a decoder by seed in the form that exporters write, beside ONNX Runtime and llama.cpp. */
@NullMarked
package dev.millrace.bench.generate;

import org.jspecify.annotations.NullMarked;
