package dev.millrace.providers.cpu.search;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.DynamicContext;
import dev.millrace.scheduler.kernel.DynamicKernel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * BeamSearch of {@code com.microsoft} for models of an encoder and a decoder. The encoder runs once, and gives scores of the
 * first word, its own states, and caches: those of the decoder's words, then those of the encoder's. The decoder runs
 * for each further word.
 */
public final class BeamSearchKernel implements DynamicKernel {
    private static final int T5 = 1;
    private static final int VOCABULARY_MASK = 7;
    private static final int PREFIX_MASK = 8;
    private static final int ATTENTION_MASK = 9;
    private static final int FIRST_WORDS = 10;
    private static final int PROCESSOR = 11;
    /** The outputs of the encoder before the caches, and of the decoder. */
    private static final int CACHES = 2;

    private final Node node;

    public BeamSearchKernel(Node node) {
        this.node = node;
        long kind = node.attributes().integer("model_type", 0);
        refuse(kind != T5, "model_type " + kind + " where " + T5 + ", an encoder and a decoder of words, is known");
        refuse(!node.attributes().has("encoder"), "a decoder without an encoder");
        refuse(node.outputs().size() > 2, "scores of each step as an output");
    }

    private void refuse(boolean present, String what) {
        if (present) {
            throw EngineException.notImplemented(node.describe() + ": " + what);
        }
    }

    private static @Nullable Tensor find(DynamicContext context, int input) {
        boolean there = input < context.inputCount() && context.input(input) != null;
        return there ? context.tensor(input) : null;
    }

    private static int @Nullable [] numbers(DynamicContext context, int input) {
        Tensor tensor = find(context, input);
        return tensor == null ? null : tensor.ints();
    }

    @Override
    public void run(DynamicContext context) {
        SearchOptions options = SearchOptions.of(context);
        int[] processor = numbers(context, PROCESSOR);
        refuse(processor != null && processor.length == 1 && processor[0] != 0, "rules for timestamps");
        Tensor given = context.tensor(0);
        Tensor first = firstWords(context, given.shape().dim(0));
        var beams = new Beams(options, rows(first));
        if (beams.length() >= options.most()) {
            throw EngineException.invalidArgument(node.describe() + ": max_length is " + options.most()
                    + " where sequences begin with " + beams.length() + " words");
        }
        search(context, options, given, first, beams);
        write(context, options, beams.finish());
    }

    private void search(DynamicContext context, SearchOptions options, Tensor given, Tensor first, Beams beams) {
        var scores = new WordScores(node, options, numbers(context, VOCABULARY_MASK), numbers(context, PREFIX_MASK));
        Tensor mask = mask(context, given, options.pad());
        List<Datum> encoded = context.runNested("encoder", encoderInputs(given, mask, first));
        int caches = encoded.size() - CACHES;
        refuse(
                caches < 0
                        || encoded.getFirst() instanceof Tensor scored
                                && scored.shape().rank() != 3,
                "an encoder that gives no scores");
        int[] all =
                IntStream.range(0, beams.count()).map(i -> i / options.beams()).toArray();
        var around = new Around(
                repeated(given, all), mask == null ? null : repeated(mask, all), repeated(tensor(encoded.get(1)), all));
        var past = new ArrayList<Tensor>();
        for (Datum cache : encoded.subList(CACHES, encoded.size())) {
            past.add(repeated(tensor(cache), all));
        }
        Tensor logits = tensor(encoded.getFirst());
        boolean isFirst = true;
        while (true) {
            context.checkCancelled();
            int[] from = beams.advance(scores.of(logits, beams, isFirst));
            if (beams.areDone() || beams.length() >= options.most()) {
                return;
            }
            int own = node.attributes().graph("decoder").outputs().size() - 1;
            for (int i = 0; i < own && !isFirst; i++) {
                past.set(i, repeated(past.get(i), from));
            }
            isFirst = false;
            List<Datum> decoded = context.runNested("decoder", decoderInputs(beams, around, past));
            logits = tensor(decoded.getFirst());
            for (int i = 1; i < decoded.size(); i++) {
                past.set(i - 1, tensor(decoded.get(i)));
            }
        }
    }

    /** What the decoder may see of the encoder's side, a row for each sequence. */
    private record Around(Tensor given, @Nullable Tensor mask, Tensor states) {}

    private List<Datum> encoderInputs(Tensor given, @Nullable Tensor mask, Tensor first) {
        var inputs = new ArrayList<Datum>(List.of(given));
        for (Value input : body("encoder").subList(1, body("encoder").size())) {
            inputs.add(
                    switch (input.name()) {
                        case "encoder_attention_mask" -> there(mask, input);
                        case "decoder_input_ids" -> first;
                        default -> throw unknown(input);
                    });
        }
        return inputs;
    }

    private List<Datum> decoderInputs(Beams beams, Around around, List<Tensor> past) {
        List<Value> wanted = body("decoder");
        var inputs = new ArrayList<Datum>(List.of(words(beams, takesOne(wanted.getFirst()))));
        int used = 0;
        for (Value input : wanted.subList(1, wanted.size())) {
            switch (input.name()) {
                case "encoder_input_ids" -> inputs.add(around.given());
                case "encoder_attention_mask" -> inputs.add(there(around.mask(), input));
                case "encoder_hidden_states" -> inputs.add(around.states());
                default -> {
                    if (used == past.size()) {
                        throw unknown(input);
                    }
                    inputs.add(past.get(used++));
                }
            }
        }
        return inputs;
    }

    private List<Value> body(String attribute) {
        Graph graph = node.attributes().graph(attribute);
        if (graph.inputs().isEmpty()) {
            throw EngineException.invalidGraph(node.describe() + ": the " + attribute + " has no inputs");
        }
        return graph.inputs();
    }

    private EngineException unknown(Value input) {
        return EngineException.notImplemented(node.describe() + ": a graph that asks for '" + input.name() + "'");
    }

    private Tensor there(@Nullable Tensor tensor, Value input) {
        if (tensor == null) {
            throw unknown(input);
        }
        return tensor;
    }

    /** Whether the decoder takes the last word alone, as its declaration says. */
    private static boolean takesOne(Value ids) {
        SymbolicShape shape = ids.described() instanceof ValueType.TensorType tensor ? tensor.shape() : null;
        return shape != null && shape.rank() == 2 && shape.dims().get(1).is(1);
    }

    private static Tensor words(Beams beams, boolean lastOnly) {
        int length = lastOnly ? 1 : beams.length();
        int[] all = new int[beams.count() * length];
        for (int i = 0; i < beams.count(); i++) {
            System.arraycopy(beams.words(i), beams.length() - length, all, i * length, length);
        }
        return Tensor.copyOf(all, beams.count(), length);
    }

    private Tensor firstWords(DynamicContext context, long batch) {
        Tensor given = find(context, FIRST_WORDS);
        if (given == null) {
            int[] start = new int[Math.toIntExact(batch)];
            Arrays.fill(start, Math.toIntExact(node.attributes().integer("decoder_start_token_id", -1)));
            return Tensor.copyOf(start, batch, 1);
        }
        if (given.shape().rank() != 2 || given.shape().dim(0) != batch || given.elements() == 0) {
            throw EngineException.invalidArgument(
                    node.describe() + ": first words of shape " + given.shape() + " for " + batch + " in a batch");
        }
        return given;
    }

    private static int[][] rows(Tensor words) {
        int[] all = words.ints();
        int length = Math.toIntExact(words.shape().dim(1));
        int[][] rows = new int[Math.toIntExact(words.shape().dim(0))][];
        Arrays.setAll(rows, i -> Arrays.copyOfRange(all, i * length, (i + 1) * length));
        return rows;
    }

    /** Which words are there: what an input says, else those that are no padding; nothing for other data. */
    private static @Nullable Tensor mask(DynamicContext context, Tensor given, int pad) {
        Tensor mask = find(context, ATTENTION_MASK);
        if (mask != null || given.type() != ElementType.INT32) {
            return mask;
        }
        int[] there = given.ints();
        for (int i = 0; i < there.length; i++) {
            there[i] = there[i] == pad ? 0 : 1;
        }
        return Tensor.copyOf(there, given.shape().toArray());
    }

    /** The parts of a tensor along its first axis that {@code from} names. */
    private static Tensor repeated(Tensor tensor, int[] from) {
        Shape shape = tensor.shape().with(0, from.length);
        Tensor result = Tensor.allocate(tensor.type(), shape);
        long bytes = tensor.type().bytes(shape.elements(1, shape.rank()));
        for (int i = 0; i < from.length; i++) {
            result.segment().asSlice(i * bytes, bytes).copyFrom(tensor.segment().asSlice(from[i] * bytes, bytes));
        }
        return result;
    }

    private Tensor tensor(Datum datum) {
        if (datum instanceof Tensor tensor && tensor.shape().rank() > 0) {
            return tensor;
        }
        throw EngineException.invalidGraph(
                node.describe() + ": encoder and decoder give tensors, but here is " + datum);
    }

    private static void write(DynamicContext context, SearchOptions options, Hypotheses[] ended) {
        int kept = options.kept();
        int[] words = new int[ended.length * kept * options.most()];
        Arrays.fill(words, options.pad());
        double[] scores = new double[ended.length * kept];
        for (int i = 0; i < scores.length; i++) {
            Hypotheses.Hypothesis one = ended[i / kept].get(i % kept);
            System.arraycopy(one.words(), 0, words, i * options.most(), one.words().length);
            scores[i] = one.score();
        }
        context.output(0, Tensor.copyOf(words, ended.length, kept, options.most()));
        if (context.outputCount() > 1 && context.hasOutput(1)) {
            ElementType type = context.node().requireOutput(1).elementType();
            Tensor result = Tensor.allocate(type == null ? ElementType.FLOAT : type, Shape.of(ended.length, kept));
            Elements.write(result.type(), result.segment(), 0, scores, 0, scores.length);
            context.output(1, result);
        }
    }
}
