package dev.millrace.bench.generate;

import static java.util.Objects.requireNonNull;

import ai.onnxruntime.OrtException;
import dev.millrace.bench.reference.OnnxRuntimeSession;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/** The likeliest tokens by ONNX Runtime, driven step by step. */
final class PeerGenerator {
    private PeerGenerator() {}

    /** @param room the steps that caches have at the beginning */
    static long[] tokens(Path file, boolean positions, long room, long[] prompt, int count) throws OrtException {
        try (OnnxRuntimeSession session = new OnnxRuntimeSession.Runtime().session(file, 1)) {
            Map<String, Datum> caches = new LinkedHashMap<>();
            for (int layer = 0; layer < SmallDecoder.LAYERS; layer++) {
                for (String part : new String[] {".key", ".value"}) {
                    Shape shape = Shape.of(1, SmallDecoder.KEY_HEADS, room, SmallDecoder.DEPTH);
                    caches.put("past_key_values." + layer + part, Tensor.allocate(ElementType.FLOAT, shape));
                }
            }
            long[] all = Arrays.copyOf(prompt, prompt.length + count);
            int known = 0;
            for (int length = prompt.length; length < all.length; length++) {
                Map<String, Datum> inputs = new LinkedHashMap<>();
                inputs.put("input_ids", row(Arrays.copyOfRange(all, known, length)));
                long[] ones = new long[length];
                Arrays.fill(ones, 1);
                inputs.put("attention_mask", row(ones));
                if (positions) {
                    long[] places = new long[length - known];
                    int first = known;
                    Arrays.setAll(places, i -> first + i);
                    inputs.put("position_ids", row(places));
                }
                inputs.putAll(caches);
                Map<String, Datum> outputs = session.run(inputs);
                all[length] = likeliest(((Tensor) requireNonNull(outputs.get("logits"))).floats());
                caches.replaceAll((name, cache) -> outputs.get(name.replace("past_key_values", "present")));
                known = length;
            }
            return Arrays.copyOfRange(all, prompt.length, all.length);
        }
    }

    private static Tensor row(long[] values) {
        return Tensor.copyOf(values, 1, values.length);
    }

    private static int likeliest(float[] logits) {
        int first = logits.length - SmallDecoder.WORDS;
        int best = first;
        for (int i = first; i < logits.length; i++) {
            best = logits[i] > logits[best] ? i : best;
        }
        return best - first;
    }
}
