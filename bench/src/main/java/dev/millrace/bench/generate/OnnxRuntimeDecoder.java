package dev.millrace.bench.generate;

import ai.onnxruntime.NodeInfo;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtLoggingLevel;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.TensorInfo;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.LongBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** ONNX Runtime's session, driven step by step, with caches that are written in place. */
final class OnnxRuntimeDecoder implements TimedDecoder {
    private static final double NANOS = 1e9;
    private static final String PAST = "past_key_values";

    private final OrtEnvironment environment = OrtEnvironment.getEnvironment(OrtLoggingLevel.ORT_LOGGING_LEVEL_FATAL);
    private final OrtSession session;

    OnnxRuntimeDecoder(Path model, int threads) throws OrtException {
        try (var options = new OrtSession.SessionOptions()) {
            options.setIntraOpNumThreads(threads);
            session = environment.createSession(model.toString(), options);
        }
    }

    @Override
    public DecodeTimes generate(long[] prompt, int tokens) throws OrtException {
        Map<String, OnnxTensor> pasts = caches(prompt.length + tokens);
        Map<String, OnnxTensor> presents = new HashMap<>();
        pasts.forEach((name, cache) -> presents.put(name.replace(PAST, "present"), cache));
        try {
            return generate(prompt, tokens, pasts, presents);
        } finally {
            pasts.values().forEach(OnnxTensor::close);
        }
    }

    private DecodeTimes generate(
            long[] prompt, int tokens, Map<String, OnnxTensor> pasts, Map<String, OnnxTensor> presents)
            throws OrtException {
        long[] all = Arrays.copyOf(prompt, prompt.length + tokens);
        float[] margins = new float[tokens];
        long start = System.nanoTime();
        long first = 0;
        int known = 0;
        for (int length = prompt.length; length < all.length; length++) {
            long[] ones = new long[length];
            Arrays.fill(ones, 1);
            try (OnnxTensor ids = row(Arrays.copyOfRange(all, known, length));
                    OnnxTensor mask = row(ones)) {
                Map<String, OnnxTensor> inputs = new HashMap<>(pasts);
                inputs.put("input_ids", ids);
                inputs.put("attention_mask", mask);
                try (OrtSession.Result result = session.run(inputs, Set.of("logits"), presents)) {
                    OnnxTensor logits = (OnnxTensor) result.get("logits").orElseThrow();
                    all[length] = likeliest(logits, margins, length - prompt.length);
                }
            }
            known = length;
            first = first == 0 ? System.nanoTime() : first;
        }
        long end = System.nanoTime();
        return new DecodeTimes(
                (first - start) / NANOS,
                (end - first) / NANOS,
                Arrays.copyOfRange(all, prompt.length, all.length),
                margins);
    }

    private Map<String, OnnxTensor> caches(int room) throws OrtException {
        var caches = new LinkedHashMap<String, OnnxTensor>();
        for (NodeInfo input : session.getInputInfo().values()) {
            if (input.getName().startsWith(PAST)) {
                long[] shape = ((TensorInfo) input.getInfo()).getShape();
                long[] extents = {1, shape[1], room, shape[3]};
                int bytes = Math.toIntExact(Float.BYTES * shape[1] * room * shape[3]);
                FloatBuffer zeros = ByteBuffer.allocateDirect(bytes)
                        .order(ByteOrder.nativeOrder())
                        .asFloatBuffer();
                caches.put(input.getName(), OnnxTensor.createTensor(environment, zeros, extents));
            }
        }
        return caches;
    }

    private OnnxTensor row(long[] values) throws OrtException {
        return OnnxTensor.createTensor(environment, LongBuffer.wrap(values), new long[] {1, values.length});
    }

    private static int likeliest(OnnxTensor logits, float[] margins, int step) {
        long[] shape = logits.getInfo().getShape();
        int words = Math.toIntExact(shape[shape.length - 1]);
        FloatBuffer all = logits.getFloatBuffer();
        int from = all.remaining() - words;
        int best = 0;
        float second = Float.NEGATIVE_INFINITY;
        for (int i = 1; i < words; i++) {
            float score = all.get(from + i);
            float most = all.get(from + best);
            second = Math.max(second, Math.min(score, most));
            best = score > most ? i : best;
        }
        margins[step] = all.get(from + best) - second;
        return best;
    }

    @Override
    public void close() throws OrtException {
        session.close();
    }
}
