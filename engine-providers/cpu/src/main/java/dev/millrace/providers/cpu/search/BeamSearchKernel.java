package dev.millrace.providers.cpu.search;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.search.Scores;
import dev.millrace.scheduler.kernel.DynamicContext;
import dev.millrace.scheduler.kernel.DynamicKernel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** BeamSearch of {@code com.microsoft}, under the name that it has for Whisper, too. */
public final class BeamSearchKernel implements DynamicKernel {
    private static final int DECODER = 0;
    private static final int ENCODER_DECODER = 2;
    private static final int REPETITION_PENALTY = 6;
    private static final int ATTENTION_MASK = 9;
    private static final int PROCESSOR = 11;
    private static final int CROSS_HEADS = 12;
    private static final int FURTHER_WORDS = 13;
    private static final int TEMPERATURE = 14;
    private static final int STEP_SCORES = 2;

    private final Node node;
    private final boolean isDecoder;

    public BeamSearchKernel(Node node) {
        this.node = node;
        boolean isWhisper = node.op().name().equals("WhisperBeamSearch");
        long kind = node.attributes().integer("model_type", isWhisper ? ENCODER_DECODER : DECODER);
        refuse(
                kind < DECODER || kind > ENCODER_DECODER,
                "model_type " + kind + " where " + DECODER + " to " + ENCODER_DECODER + " are known");
        isDecoder = kind == DECODER;
        refuse(!isDecoder && !node.attributes().has("encoder"), "a decoder without an encoder");
        refuse(node.outputs().size() > STEP_SCORES + 1, "attention as an output");
    }

    private void refuse(boolean present, String what) {
        if (present) {
            throw EngineException.notImplemented(node.describe() + ": " + what);
        }
    }

    @Override
    public void run(DynamicContext context) {
        var inputs = new SearchInputs(context);
        int[] processor = inputs.numbers(PROCESSOR);
        refuse(processor != null && processor.length == 1 && processor[0] != 0, "rules for timestamps");
        refuse(inputs.find(CROSS_HEADS) != null || inputs.find(FURTHER_WORDS) != null, "attention as an output");
        SearchOptions options = SearchOptions.of(inputs);
        float temperature = inputs.positive(TEMPERATURE, "temperature");
        LogitsProcessing rules = LogitsProcessing.of(inputs, REPETITION_PENALTY, temperature);
        WordModel model = isDecoder
                ? new DecoderModel(inputs, ATTENTION_MASK, options.most())
                : new EncoderDecoderModel(inputs, ATTENTION_MASK, options.most());
        var beams = new Beams(context, options, model.first());
        int before = beams.length();
        inputs.requireRoom(options.most(), before);
        boolean keepsScores = context.outputCount() > STEP_SCORES && context.hasOutput(STEP_SCORES);
        List<float[][]> steps = search(context, rules, options, model, beams, keepsScores);
        write(context, options, beams.finish());
        if (keepsScores) {
            writeSteps(context, steps, options.most() - before, options.beams());
        }
    }

    /** Goes on until all have ended; returns the scores that words were chosen by, where they are wanted. */
    private static List<float[][]> search(
            DynamicContext context,
            LogitsProcessing rules,
            SearchOptions options,
            WordModel model,
            Beams beams,
            boolean keepsScores) {
        var steps = new ArrayList<float[][]>();
        Tensor logits = model.begin();
        boolean isFirst = true;
        while (true) {
            context.checkCancelled();
            float[][] scores = rules.last(logits, beams.count());
            for (int row = 0; row < scores.length; row++) {
                context.checkCancelled();
                Scores.logShares(scores[row]);
                rules.apply(scores[row], beams.words(row), row / options.beams(), isFirst);
            }
            isFirst = false;
            beams.addSums(scores);
            if (keepsScores) {
                steps.add(scores);
            }
            int[] from = beams.advance(scores);
            if (beams.areDone() || beams.length() >= options.most()) {
                return steps;
            }
            logits = model.goOn(beams.words(), from);
        }
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
            Tensor result = Tensor.allocate(scoreType(context, 1), Shape.of(ended.length, kept));
            Elements.write(result.type(), result.segment(), 0, scores, 0, scores.length);
            context.output(1, result);
        }
    }

    private static void writeSteps(DynamicContext context, List<float[][]> steps, int most, int beams) {
        int sequences = steps.getFirst().length;
        int vocabulary = steps.getFirst()[0].length;
        Shape shape = Shape.of(most, sequences / beams, beams, vocabulary);
        Tensor result = Tensor.allocate(scoreType(context, STEP_SCORES), shape);
        long at = 0;
        for (float[][] step : steps) {
            for (float[] row : step) {
                context.checkCancelled();
                Elements.write(result.type(), result.segment(), at, row, 0, vocabulary);
                at += vocabulary;
            }
        }
        context.output(STEP_SCORES, result);
    }

    private static ElementType scoreType(DynamicContext context, int output) {
        ElementType type = context.node().requireOutput(output).elementType();
        return type == null ? ElementType.FLOAT : type;
    }
}
