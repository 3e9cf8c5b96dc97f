package dev.millrace.bench.generate;

import static java.util.Objects.requireNonNull;

import ai.onnxruntime.OrtException;
import dev.millrace.bench.reference.OnnxRuntimeSession;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorParts;
import dev.millrace.session.Session;
import dev.millrace.session.State;
import dev.millrace.session.ValueInfo;
import dev.millrace.session.generate.DecoderSignature;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/** The likeliest tokens by ONNX Runtime, which is driven step by step. */
final class ReferenceGenerator implements AutoCloseable {
    private final OnnxRuntimeSession session;
    private final DecoderSignature signature;
    private final Map<String, ElementType> types = new LinkedHashMap<>();

    /**
     * Tokens, and by how much the likeliest one led.
     *
     * @param leads the difference of the two largest logits of each token, as a part of the largest absolute logit
     */
    record Said(long[] tokens, double[] leads) {}

    /** @param ours a session of the same model, whose inputs and caches are known */
    ReferenceGenerator(Path file, Session ours, DecoderSignature signature) throws OrtException {
        this.session = new OnnxRuntimeSession.Runtime().session(file, 1);
        this.signature = signature;
        for (ValueInfo input : ours.inputs()) {
            types.put(input.name(), requireNonNull(((ValueType.TensorType) requireNonNull(input.type())).element()));
        }
    }

    Said say(long[] prompt, int count) throws OrtException {
        Map<String, Datum> caches = new LinkedHashMap<>();
        for (State state : signature.states()) {
            caches.put(state.input(), Tensor.allocate(type(state.input()), requireNonNull(state.zeros())));
        }
        long[] all = Arrays.copyOf(prompt, prompt.length + count);
        double[] leads = new double[count];
        int known = 0;
        for (int length = prompt.length; length < all.length; length++) {
            int first = known;
            Map<String, Datum> inputs = new LinkedHashMap<>(caches);
            put(inputs, "input_ids", length - known, i -> (int) all[first + i]);
            put(inputs, "attention_mask", length, i -> 1);
            put(inputs, "position_ids", length - known, i -> first + i);
            Map<String, Datum> outputs = session.run(inputs);
            Tensor logits = (Tensor) requireNonNull(outputs.get(signature.logits()));
            all[length] = likeliest(logits, leads, length - prompt.length);
            for (State state : signature.states()) {
                caches.put(state.input(), requireNonNull(outputs.get(state.output())));
            }
            known = length;
        }
        return new Said(Arrays.copyOfRange(all, prompt.length, all.length), leads);
    }

    private ElementType type(String input) {
        return requireNonNull(types.get(input));
    }

    private void put(Map<String, Datum> inputs, String name, int length, IntUnaryOperator value) {
        if (!types.containsKey(name)) {
            return;
        }
        double[] values = new double[length];
        Arrays.setAll(values, value::applyAsInt);
        Tensor row = Tensor.allocate(type(name), Shape.of(1, length));
        Elements.write(row.type(), row.segment(), 0, values, 0, length);
        inputs.put(name, row);
    }

    private static int likeliest(Tensor logits, double[] leads, int step) {
        int words = Math.toIntExact(logits.shape().dimAt(-1));
        float[] row = TensorParts.floats(logits, logits.elements() - words, words);
        int best = 0;
        float second = Float.NEGATIVE_INFINITY;
        float largest = Math.abs(row[0]);
        for (int i = 1; i < words; i++) {
            second = Math.max(second, Math.min(row[i], row[best]));
            best = row[i] > row[best] ? i : best;
            largest = Math.max(largest, Math.abs(row[i]));
        }
        leads[step] = (row[best] - second) / largest;
        return best;
    }

    @Override
    public void close() {
        session.close();
    }
}
