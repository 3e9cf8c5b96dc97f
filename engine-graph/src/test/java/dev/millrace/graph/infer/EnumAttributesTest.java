package dev.millrace.graph.infer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.tensor.ElementType;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EnumAttributesTest {
    @ParameterizedTest
    @CsvSource({
        "RoiAlign, mode",
        "RoiAlign, coordinate_transformation_mode",
        "DepthToSpace, mode",
        "Conv, auto_pad",
        "ConvTranspose, auto_pad",
        "MaxPool, auto_pad",
        "BitShift, direction",
        "Gelu, approximate",
        "NegativeLogLikelihoodLoss, reduction",
        "SoftmaxCrossEntropyLoss, reduction",
        "ScatterND, reduction",
        "Resize, mode",
        "Resize, nearest_mode",
        "Resize, coordinate_transformation_mode",
        "Resize, keep_aspect_ratio_policy",
        "Pad, mode",
        "GridSample, padding_mode",
        "LSTM, direction",
        "TensorScatter, mode",
        "TfIdfVectorizer, mode"
    })
    void aWordThatTheOperatorDoesNotKnow(String op, String attribute) {
        var graph = new TestGraph(20);
        graph.node(op, Attributes.of(attribute, Attribute.of("sideways")), graph.input("x", ElementType.FLOAT));
        assertThatThrownBy(graph::infer)
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_GRAPH))
                .hasMessageStartingWith(op)
                .hasMessageContaining("attribute '" + attribute + "' is 'sideways' where one of [");
    }

    @ParameterizedTest
    @CsvSource({"LpNormalization, p, 3", "Attention, qk_matmul_output_mode, 4"})
    void aNumberThatTheOperatorDoesNotKnow(String op, String attribute, long value) {
        var graph = new TestGraph(23);
        graph.node(op, Attributes.of(attribute, Attribute.of(value)), graph.input("x", ElementType.FLOAT));
        assertThatThrownBy(graph::infer).hasMessageContaining("attribute '" + attribute + "' is '" + value + "'");
    }

    @ParameterizedTest
    @CsvSource({"Normalizer, norm", "LinearRegressor, post_transform", "SVMRegressor, kernel_type"})
    void aWordThatAClassicalModelDoesNotKnow(String op, String attribute) {
        var graph = new TestGraph(1);
        graph.add(
                new OpId(OpId.ONNX_ML, op),
                1,
                Attributes.of(attribute, Attribute.of("sideways")),
                graph.input("x", ElementType.FLOAT, 1, 2));
        assertThatThrownBy(graph::infer).hasMessageContaining("'sideways'");
    }
}
