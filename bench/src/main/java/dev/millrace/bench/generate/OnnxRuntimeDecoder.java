package dev.millrace.bench.generate;

import ai.onnxruntime.NodeInfo;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtLoggingLevel;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.TensorInfo;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.op.OpName;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.LongBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.StreamSupport;

/** ONNX Runtime's session, driven step by step, with caches that are written in place. */
final class OnnxRuntimeDecoder implements TimedDecoder {
    private static final double NANOS = 1e9;
    private static final String PAST = "past_key_values";

    private final OrtEnvironment environment = OrtEnvironment.getEnvironment(OrtLoggingLevel.ORT_LOGGING_LEVEL_FATAL);
    private final OrtSession session;
    /** Whether caches have room for all tokens and are written in place, as GroupQueryAttention does. */
    private final boolean hasRoom;

    OnnxRuntimeDecoder(Path model, int threads) throws OrtException {
        Graph graph = Models.read(model).graph();
        hasRoom = StreamSupport.stream(graph.nodes().spliterator(), false)
                .anyMatch(node -> node.op().name().equals(OpName.GROUP_QUERY_ATTENTION));
        try (var options = new OrtSession.SessionOptions()) {
            options.setIntraOpNumThreads(threads);
            session = environment.createSession(model.toString(), options);
        }
    }

    @Override
    public DecodeTimes generate(long[] prompt, int tokens) throws OrtException {
        Map<String, OnnxTensor> pasts = caches(hasRoom ? prompt.length + tokens : 0);
        Map<String, OnnxTensor> presents = new HashMap<>();
        if (hasRoom) {
            pasts.forEach((name, cache) -> presents.put(present(name), cache));
        }
        try {
            return generate(prompt, tokens, pasts, presents);
        } finally {
            pasts.values().forEach(OnnxTensor::close);
        }
    }

    private static String present(String past) {
        return past.replace(PAST, "present");
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
                    OnnxTensor mask = row(ones);
                    OnnxTensor positions = row(LongStream.range(known, length).toArray())) {
                Map<String, OnnxTensor> inputs = new HashMap<>(pasts);
                inputs.put("input_ids", ids);
                inputs.put("attention_mask", mask);
                inputs.put("position_ids", positions);
                inputs.keySet().retainAll(session.getInputNames());
                OrtSession.Result result = session.run(inputs, wanted(pasts), presents);
                OnnxTensor logits = (OnnxTensor) result.get("logits").orElseThrow();
                all[length] = likeliest(logits, margins, length - prompt.length);
                logits.close();
                grow(pasts, result);
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

    private Set<String> wanted(Map<String, OnnxTensor> pasts) {
        var names = new HashSet<>(Set.of("logits"));
        if (!hasRoom) {
            pasts.keySet().forEach(past -> names.add(present(past)));
        }
        return names;
    }

    /** Makes the presents of a run the pasts of the next one, unless they are one memory. */
    private void grow(Map<String, OnnxTensor> pasts, OrtSession.Result result) {
        if (!hasRoom) {
            pasts.replaceAll((name, past) -> {
                past.close();
                return (OnnxTensor) result.get(present(name)).orElseThrow();
            });
        }
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
