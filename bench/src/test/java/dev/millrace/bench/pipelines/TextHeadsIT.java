package dev.millrace.bench.pipelines;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ai.djl.huggingface.tokenizers.Encoding;
import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import ai.djl.huggingface.tokenizers.jni.CharSpan;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.pipelines.ScoredLabel;
import dev.millrace.pipelines.Stage;
import dev.millrace.pipelines.text.CrossEncoder;
import dev.millrace.pipelines.text.FoundAnswer;
import dev.millrace.pipelines.text.Question;
import dev.millrace.pipelines.text.QuestionAnswerer;
import dev.millrace.pipelines.text.TextClassifier;
import dev.millrace.pipelines.text.TextSpan;
import dev.millrace.pipelines.text.TokenClassifier;
import dev.millrace.session.Engine;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import dev.millrace.text.Tokenizer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that stages of texts over MiniLM, with heads of random weights, answer what programs over ONNX Runtime and Hugging
 * Face's tokenizers answer.
 */
@Tag("reference")
class TextHeadsIT {
    private static final int WIDTH = 384;
    private static final List<String> TEXTS = List.of(
            "Ada Lovelace wrote the first program in London.",
            "A mill turns as long as water flows, and no longer than that!",
            "short",
            "The invoice of 1,234.50 EUR is due on Friday, without fail, or so they said in November.");
    private static final List<String> LABELS = List.of("O", "B-ONE", "I-ONE", "B-TWO", "I-TWO");

    private static Engine engine;
    private static Tokenizer tokenizer;
    private static HuggingFaceTokenizer reference;

    @BeforeAll
    static void open(@TempDir Path folder) throws IOException {
        boolean isThere = System.getProperty("os.name").equals("Linux")
                && System.getProperty("os.arch").equals("amd64");
        assumeTrue(isThere, "the library is for other systems, or not tried there");
        System.setProperty("ai.djl.offline", "true");
        System.setProperty("OPT_OUT_TRACKING", "true");
        System.setProperty("ENGINE_CACHE_DIR", folder.toString());
        byte[] file = resource("/all-minilm-l6-v2-tokenizer.json");
        engine = Engine.create();
        tokenizer = Tokenizer.of(file).unbounded().paddedTo(0);
        reference = HuggingFaceTokenizer.newInstance(
                new ByteArrayInputStream(file), Map.of("truncation", "false", "padding", "false"));
    }

    @AfterAll
    static void close() {
        if (engine != null) {
            engine.close();
            reference.close();
        }
    }

    private static byte[] resource(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(TextHeadsIT.class.getResourceAsStream(name))) {
            return in.readAllBytes();
        }
    }

    /**
     * Returns MiniLM with other outputs: the vectors of tokens, or of the first token, times random weights.
     *
     * @param isOfText whether the first token alone counts
     * @param widths the numbers of each output; 1 for a number without an axis of its own
     */
    private static byte[] model(boolean isOfText, int... widths) throws IOException {
        Model whole = Models.read(resource("/all-minilm-l6-v2.onnx"), null);
        var editor = new GraphEditor(whole.graph());
        int opset = Objects.requireNonNull(whole.opsets().get(OpId.ONNX));
        Value hidden = whole.graph().outputs().getFirst();
        var same = editor.append(NodeSpec.of(OpId.onnx("Identity"), opset, hidden), List.of("hidden"));
        Value vectors = same.requireOutput(0);
        if (isOfText) {
            Value first = editor.addConstant("first", Tensor.scalar(0L));
            NodeSpec gather = NodeSpec.of(OpId.onnx("Gather"), opset, vectors, first);
            vectors = node(editor, gather.with(Attributes.of("axis", new Attribute.Int(1))), "vectors");
        }
        var random = new Random(7);
        for (int i = 0; i < widths.length; i++) {
            float[] weights = new float[WIDTH * widths[i]];
            for (int j = 0; j < weights.length; j++) {
                weights[j] = (float) random.nextGaussian() / 4;
            }
            Value weight = editor.addConstant("head" + i, Tensor.copyOf(weights, WIDTH, widths[i]));
            Value logits = node(editor, NodeSpec.of(OpId.onnx("MatMul"), opset, vectors, weight), "logits" + i);
            if (!isOfText && widths[i] == 1) {
                NodeSpec squeeze = NodeSpec.of(OpId.onnx("Squeeze"), opset, logits);
                logits = node(
                        editor, squeeze.with(Attributes.of("axes", new Attribute.Ints(List.of(2L)))), "squeezed" + i);
            }
            if (i == 0) {
                // the first output of the model
                editor.replaceUses(hidden, logits);
                editor.setInput(same, 0, hidden);
            } else {
                editor.addOutput("out" + i, logits);
            }
        }
        return Models.toBytes(whole);
    }

    private static Value node(GraphEditor editor, NodeSpec spec, String name) {
        return editor.append(spec, List.of(name)).requireOutput(0);
    }

    /** Returns the values of ONNX Runtime's outputs for one text. */
    private static List<Object> answers(byte[] model, Encoding text) throws OrtException {
        OrtEnvironment environment = OrtEnvironment.getEnvironment();
        try (OrtSession session = environment.createSession(model);
                OnnxTensor ids = OnnxTensor.createTensor(environment, new long[][] {text.getIds()});
                OnnxTensor mask = OnnxTensor.createTensor(environment, new long[][] {text.getAttentionMask()});
                OnnxTensor types = OnnxTensor.createTensor(environment, new long[][] {text.getTypeIds()});
                OrtSession.Result result =
                        session.run(Map.of("input_ids", ids, "attention_mask", mask, "token_type_ids", types))) {
            var values = new ArrayList<Object>();
            for (var each : result) {
                values.add(each.getValue().getValue());
            }
            return values;
        }
    }

    private static int best(float[] scores) {
        int best = 0;
        for (int i = 1; i < scores.length; i++) {
            best = scores[i] > scores[best] ? i : best;
        }
        return best;
    }

    private static double[] softmax(float[] logits) {
        double sum = 0;
        double[] made = new double[logits.length];
        for (int i = 0; i < made.length; i++) {
            sum += made[i] = Math.exp(logits[i]);
        }
        for (int i = 0; i < made.length; i++) {
            made[i] /= sum;
        }
        return made;
    }

    @Test
    void textsHaveTheSameClasses() throws Exception {
        byte[] model = model(true, LABELS.size());
        try (Session session = engine.session(model, SessionOptions.defaults())) {
            List<List<ScoredLabel>> found =
                    TextClassifier.of(session, tokenizer, LABELS, 2).runAll(TEXTS);
            for (int i = 0; i < TEXTS.size(); i++) {
                float[] logits = ((float[][])
                                answers(model, reference.encode(TEXTS.get(i))).getFirst())
                        [0];
                ScoredLabel first = found.get(i).getFirst();
                assertThat(first.label()).isEqualTo(LABELS.get(best(logits)));
                assertThat(first.score()).isCloseTo(softmax(logits)[best(logits)], within(1e-4));
            }
        }
    }

    @Test
    void passagesHaveTheSameScores() throws Exception {
        byte[] model = model(true, 1);
        try (Session session = engine.session(model, SessionOptions.defaults())) {
            List<Double> scores = CrossEncoder.of(session, tokenizer).scores("What drives the wheel?", TEXTS);
            for (int i = 0; i < TEXTS.size(); i++) {
                Encoding pair = reference.encode("What drives the wheel?", TEXTS.get(i));
                assertThat(scores.get(i))
                        .isCloseTo(((float[][]) answers(model, pair).getFirst())[0][0], within(1e-4));
            }
        }
    }

    @Test
    void textsHaveTheSameParts() throws Exception {
        byte[] model = model(false, LABELS.size());
        try (Session session = engine.session(model, SessionOptions.defaults())) {
            Stage<String, List<TextSpan>> stage = TokenClassifier.of(session, tokenizer, LABELS);
            int count = 0;
            for (String text : TEXTS) {
                Encoding encoding = reference.encode(text);
                List<TextSpan> spans = stage.run(text);
                assertThat(spans.stream()
                                .map(span -> span.start() + "-" + span.end() + " " + span.label())
                                .toList())
                        .isEqualTo(parts(
                                encoding,
                                ((float[][][]) answers(model, encoding).getFirst())[0]));
                count += spans.size();
            }
            assertThat(count).isGreaterThan(5);
        }
    }

    /** Returns start, end and class of each part: the first token of a word decides. */
    private static List<String> parts(Encoding text, float[][] logits) {
        CharSpan[] places = text.getCharTokenSpans();
        long[] words = text.getWordIds();
        var parts = new ArrayList<String>();
        String open = "";
        int start = 0;
        int end = 0;
        for (int i = 0; i < logits.length; i++) {
            if (words[i] < 0) {
                continue;
            }
            if (words[i] == words[i - 1]) {
                end = places[i].getEnd();
                continue;
            }
            String label = LABELS.get(best(logits[i]));
            String name = label.replaceAll("^[BI]-", "");
            if (label.startsWith("B-") || !name.equals(open)) {
                if (!open.isEmpty() && !open.equals("O")) {
                    parts.add(start + "-" + end + " " + open);
                }
                open = name;
                start = places[i].getStart();
            }
            end = places[i].getEnd();
        }
        if (!open.equals("O")) {
            parts.add(start + "-" + end + " " + open);
        }
        return parts;
    }

    @Test
    void anAnswerIsTheSamePartOfThePassage() throws Exception {
        byte[] model = model(false, 1, 1);
        try (Session session = engine.session(model, SessionOptions.defaults())) {
            Stage<Question, FoundAnswer> stage = QuestionAnswerer.of(session, tokenizer, 128, 32);
            for (String passage : TEXTS) {
                Encoding pair = reference.encode("Who wrote it?", passage);
                List<Object> answers = answers(model, pair);
                float[] first = ((float[][]) answers.get(0))[0];
                float[] last = ((float[][]) answers.get(1))[0];
                int from = 0;
                int to = 0;
                double score = Double.NEGATIVE_INFINITY;
                for (int i = 0; i < first.length; i++) {
                    for (int j = i; j < Math.min(first.length, i + 30); j++) {
                        boolean isPassage = pair.getTypeIds()[i] == 1
                                && pair.getTypeIds()[j] == 1
                                && pair.getSpecialTokenMask()[j] == 0;
                        if (isPassage && first[i] + last[j] > score) {
                            score = first[i] + last[j];
                            from = pair.getCharTokenSpans()[i].getStart();
                            to = pair.getCharTokenSpans()[j].getEnd();
                        }
                    }
                }
                FoundAnswer answer = stage.run(new Question("Who wrote it?", passage));
                assertThat(answer.text()).isEqualTo(passage.substring(from, to));
                assertThat(answer.start()).isEqualTo(from);
            }
        }
    }
}
