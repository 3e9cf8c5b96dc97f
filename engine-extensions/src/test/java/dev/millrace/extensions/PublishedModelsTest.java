package dev.millrace.extensions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.Session;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Tests of published models that carry these operators. */
class PublishedModelsTest {
    private static final Path FOLDER = Path.of("../../shared/corpus/microsoft+onnxruntime-extensions/test/data");

    @AutoClose
    private final Engine engine = Engine.create();

    private <T> T answer(String model, Inputs inputs, Function<Outputs, T> read) {
        Path file = FOLDER.resolve(model + ".onnx");
        if (!Files.exists(file)) {
            return abort("the model " + file + " is not here");
        }
        try (Session session = engine.session(file);
                Outputs outputs = session.run(inputs)) {
            return read.apply(outputs);
        }
    }

    private static Tensor texts(String... texts) {
        return Tensor.ofStrings(Shape.of(texts.length), texts);
    }

    @Test
    void aTextIsTokenisedAndDecoded() {
        Inputs text = Inputs.of("text", Tensor.ofStrings(Shape.of(), "The mill runs."));
        long[] ids = answer(
                "test_bert_tokenizer_scalar",
                text,
                outputs -> outputs.get("input_ids").longs());
        assertThat(ids).startsWith(101).endsWith(102);
        Inputs whole = Inputs.of("ids", Tensor.copyOf(ids, ids.length))
                .and("position", Tensor.copyOf(new long[] {1, 3, 3, ids.length}, 2, 2));
        String[] parts = answer(
                "test_bert_tokenizer_decoder_with_indices",
                whole,
                outputs -> outputs.get("str").strings().clone());
        assertThat(String.join(" ", parts)).isEqualToIgnoringCase("the mill runs.");
    }

    @Test
    void aTokenizerLeavesAnOutputOut() {
        Inputs text = Inputs.of("text", texts("hello", "world"));
        long[] mask = answer(
                "test_hf_bert_tokenizer_optional_output",
                text,
                outputs -> outputs.get("attention_mask").longs());
        assertThat(mask).hasSizeGreaterThan(2).containsOnly(1);
    }

    @Test
    void aPatternIsReplacedOnce() {
        Inputs inputs =
                Inputs.of("input", texts("aXbx")).and("pattern", texts("(x)")).and("rewrite", texts("[$1]"));
        String[] all = replaced("test_string_ecmaregex_replace", inputs);
        assertThat(all).containsExactly("aXb[x]");
        String[] first = replaced("test_string_ecmaregex_replace_ignore_case_and_except_global_replace", inputs);
        assertThat(first).containsExactly("a[X]bx");
    }

    private String[] replaced(String model, Inputs inputs) {
        return answer(model, inputs, outputs -> outputs.get("output").strings().clone());
    }
}
