package dev.millrace.graph.quantize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.quantize.ModelQuantizer.Quantized;
import dev.millrace.graph.quantize.QuantizeOptions.Method;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ModelQuantizerTest {
    private static final int OPSET = 21;

    private final Products products = new Products(OPSET);

    private static Quantized quantise(Model model, QuantizeOptions.Builder options) {
        return ModelQuantizer.of(options.build()).quantize(model);
    }

    private static QuantizeOptions.Builder options() {
        return QuantizeOptions.builder();
    }

    @Test
    void aWeightOfSeveralNodesIsQuantisedOnce() {
        Value w = products.weight("w");
        Model model = products.then("MatMul", "a", w)
                .then("MatMul", "b", w)
                .then("Gemm", "c", w)
                .model();
        Quantized made = quantise(model, options());
        assertThat(Products.operators(made.model().graph())).containsOnly("MatMulNBits");
        assertThat(made.report().weights()).hasSize(1);
        assertThat(made.model().graph().constants()).extracting(Value::name).containsExactly("w_Q4", "w_scales");
        assertThat(made.report().bytesBefore()).isEqualTo(64 * 64 * 4);
        assertThat(made.report().bytesAfter()).isEqualTo(64 * 64 / 2 + 64 * 2 * 4);
        assertThat(Products.operators(model.graph())).as("the source").containsExactly("MatMul", "MatMul", "Gemm");
    }

    @Test
    void aWeightIsQuantisedForEachWayThatItIsRead() {
        Value w = products.weight("w");
        Attributes turned = Attributes.of("transB", Attribute.of(1));
        Attributes doubled = Attributes.of("alpha", Attribute.of(2f));
        Model model = products.then("MatMul", "a", w)
                .then("Gemm", "b", turned, w)
                .then("Gemm", "c", doubled, w)
                .then("Add", "d", w)
                .model();
        QuantizeReport report = quantise(model, options()).report();
        assertThat(report.weights()).hasSize(3).allMatch(QuantizeReport.Weight::sourceStays);
        assertThat(report.kept()).singleElement().satisfies(kept -> {
            assertThat(kept.name()).isEqualTo("w");
            assertThat(kept.reason()).isEqualTo("Add reads it");
        });
    }

    @Test
    void theWrittenModelImportsTheOperatorsAndKeepsItsNotes() {
        Model model = products.then("MatMul", "a", products.weight("w")).model();
        byte[] bytes = Models.toBytes(quantise(model, options().bits(8)).model());
        Model read = Models.read(bytes, null);
        assertThat(read.opsets()).containsExactlyInAnyOrderEntriesOf(Map.of(OpId.ONNX, OPSET, OpId.MICROSOFT, 1));
        assertThat(read.header().documentation().toString()).isEqualTo("a model of products");
        assertThat(read.metadata())
                .containsEntry("licence", "free")
                .containsEntry(
                        ModelQuantizer.METADATA_KEY,
                        "method=blocks bits=8 block_size=32 symmetric=true scale_search=true accuracy_level=0"
                                + " embedding=false fp16_scales=false");
        assertThat(read.graph().firstNode()).satisfies(node -> {
            assertThat(node.name()).isEqualTo("a");
            assertThat(node.requireOutput(0).name()).isEqualTo("y");
        });
    }

    @ParameterizedTest
    @EnumSource(Method.class)
    void theResultDoesNotDependOnTheNumberOfThreads(Method method) {
        Value wide = products.editor.addConstant("wide", products.random(64, 1000));
        Model model = products.then("MatMul", "a", products.weight("w"))
                .then("MatMul", "b", wide)
                .model();
        byte[] one = Models.toBytes(
                quantise(model, options().method(method).threads(1)).model());
        byte[] three = Models.toBytes(
                quantise(model, options().method(method).threads(3)).model());
        assertThat(three).isEqualTo(one);
        assertThat(quantise(model, options().method(method).threads(1)).report())
                .isEqualTo(quantise(model, options().method(method).threads(3)).report());
    }

    @Test
    void aWeightThatAConstantNodeHoldsIsQuantised() {
        NodeSpec constant =
                NodeSpec.of(OpId.onnx("Constant"), OPSET).with("value", Attribute.of(products.random(64, 64)));
        Value w = products.editor.append(constant, List.of("w")).requireOutput(0);
        Model model = products.then("MatMul", "a", w).model();
        assertThat(Products.operators(quantise(model, options()).model().graph()))
                .containsExactly("MatMulNBits");
    }

    @Test
    void aTransposeOfAWeightGoesWithIt() {
        Value turned = products.editor
                .append(NodeSpec.of(OpId.onnx("Transpose"), OPSET, products.weight("w")), List.of("turned"))
                .requireOutput(0);
        Model model = products.then("MatMul", "a", turned).model();
        assertThat(Products.operators(quantise(model, options()).model().graph()))
                .containsExactly("MatMulNBits");
    }

    @Test
    void quantisedNodesAreLeftAsTheyAre() {
        Model once = quantise(products.then("MatMul", "a", products.weight("w")).model(), options())
                .model();
        Quantized twice = quantise(once, options().bits(8));
        assertThat(twice.report().weights()).isEmpty();
        assertThat(Models.toBytes(twice.model())).isEqualTo(Models.toBytes(once));
    }

    @ParameterizedTest
    @CsvSource({"b", "w2", "?2", "*2", "b*"})
    void namesOfNodesOrWeightsExcludeAndInclude(String pattern) {
        Model model = products.then("MatMul", "a", products.weight("w1"))
                .then("MatMul", "b", products.weight("w2"))
                .model();
        QuantizeReport without =
                quantise(model, options().exclude(List.of(pattern))).report();
        assertThat(without.weights()).extracting(QuantizeReport.Weight::name).containsExactly("w1");
        assertThat(without.kept())
                .extracting(QuantizeReport.Kept::reason)
                .containsExactly("it is not selected by name");
        QuantizeReport with =
                quantise(model, options().include(List.of(pattern))).report();
        assertThat(with.weights()).extracting(QuantizeReport.Weight::name).containsExactly("w2");
    }

    @Test
    void patternsThatFitNothingAreRefused() {
        Model model = products.then("MatMul", "a", products.weight("w")).model();
        assertThatThrownBy(() -> quantise(model, options().exclude(List.of("w", "lm_head", "a.b"))))
                .hasMessageContaining("'a.b' or 'lm_head'");
    }

    @Test
    void weightsThatStayHaveAReason() {
        Value narrow = products.editor.addConstant("narrow", products.random(64, 10));
        Value broken = products.weight("broken");
        Objects.requireNonNull(broken.constant()).segment().setAtIndex(ValueLayout.JAVA_FLOAT, 7, Float.NaN);
        Value optional = products.editor.addInput(
                "optional", ValueType.tensor(ElementType.FLOAT, Shape.of(64, 64)), products.random(64, 64));
        Value deep = products.editor.addConstant("deep", products.random(64, 64).reshaped(Shape.of(1, 64, 64)));
        Value doubles = products.editor.addConstant("doubles", Tensor.allocate(ElementType.DOUBLE, Shape.of(64, 64)));
        Model model = products.then("MatMul", "a", products.weight("w"))
                .then("MatMul", "b", broken)
                .then("MatMul", "c", optional)
                .then("MatMul", "d", deep)
                .then("MatMul", "e", doubles)
                .then("MatMul", "f", narrow)
                .model();
        QuantizeReport report = quantise(model, options()).report();
        assertThat(report.weights()).extracting(QuantizeReport.Weight::name).containsExactly("w");
        assertThat(report.kept())
                .extracting(kept -> kept.name() + ": " + kept.reason())
                .containsExactly(
                        "doubles: its type is double, neither float nor float16",
                        "broken: it has elements that are not finite, or too large for the type of the scales",
                        "deep: it has 3 dimensions, not two",
                        "optional: it is an input with a default, which callers may override",
                        "narrow: it has fewer than 4096 elements");
    }

    @Test
    void anOldOpsetKeepsFloats() {
        var old = new Products(9);
        Model model = old.then("MatMul", "a", old.weight("w")).model();
        assertThat(quantise(model, options().method(Method.DYNAMIC)).report().kept())
                .extracting(QuantizeReport.Kept::reason)
                .containsExactly("opset 9 has no DynamicQuantizeLinear, which opset 11 introduced");
        var older = new Products(6);
        Model gemm =
                older.then("Gemm", "a", older.weight("w"), older.weight("c")).model();
        assertThat(quantise(gemm, options()).report().weights()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"3, 32", "0, 32", "4, 48", "4, 8", "4, 512"})
    void unsupportedBitsAndBlocksAreRefused(int bits, int block) {
        assertThatThrownBy(() -> options().bits(bits).blockSize(block).build()).hasMessageContaining("are possible");
    }

    @Test
    void optionsGoRoundThroughTheirBuilder() {
        QuantizeOptions options = options()
                .bits(8)
                .blockSize(64)
                .symmetric(false)
                .scaleSearch(false)
                .accuracyLevel(4)
                .embedding(true)
                .fp16Scales(true)
                .minElements(1)
                .include(List.of("a"))
                .exclude(List.of("b"))
                .threads(3)
                .build();
        assertThat(options.toBuilder().build()).isEqualTo(options);
        assertThat(options().method(Method.DYNAMIC).build().bits()).isEqualTo(8);
        assertThatThrownBy(() -> options().method(Method.DYNAMIC).bits(4).build())
                .hasMessageContaining("DYNAMIC");
        assertThatThrownBy(() -> options().accuracyLevel(5).build()).hasMessageContaining("between 0 and 4");
    }
}
