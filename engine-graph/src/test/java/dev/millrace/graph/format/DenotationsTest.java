package dev.millrace.graph.format;

import static dev.millrace.graph.format.Protos.graph;
import static dev.millrace.graph.format.Protos.info;
import static dev.millrace.graph.format.Protos.node;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.millrace.graph.ir.Denotations;
import dev.millrace.graph.ir.FunctionInliner;
import dev.millrace.graph.ir.GraphCopier;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.ValueNotes;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.graph.optimise.pass.ConstantEvaluator;
import dev.millrace.graph.proto.AttributeProto;
import dev.millrace.graph.proto.FunctionProto;
import dev.millrace.graph.proto.GraphProto;
import dev.millrace.graph.proto.ModelProto;
import dev.millrace.graph.proto.TensorProto;
import dev.millrace.graph.proto.TensorShapeProto;
import dev.millrace.graph.proto.TypeProto;
import dev.millrace.graph.proto.ValueInfoProto;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Denotations of types and extents survive reading and writing a model. */
class DenotationsTest {
    @Test
    void whatInputsOutputsAndInnerValuesStandForSurvives() throws InvalidProtocolBufferException {
        GraphProto main = denoted().build();
        Model model = Protos.read(Protos.model(main.toBuilder()));
        for (Model each :
                List.of(model, FunctionInliner.inline(model), model.with(GraphCopier.copy(model.graph(), null)))) {
            GraphProto again = NotesTest.again(each);
            assertThat(again.getInputList()).isEqualTo(main.getInputList());
            assertThat(again.getOutputList()).isEqualTo(main.getOutputList());
            assertThat(again.getValueInfoList()).containsExactlyInAnyOrderElementsOf(main.getValueInfoList());
        }
    }

    @Test
    void whatIsOptimisedKeepsWhatItsInputsAndOutputsStandFor() throws InvalidProtocolBufferException {
        Model model = Protos.read(Protos.model(denoted()));
        new Optimiser(Optimiser.Options.DEFAULT, ConstantEvaluator.NONE).optimise(model.graph());
        GraphProto again = NotesTest.again(model);
        assertThat(again.getInput(0).getType()).isEqualTo(image("IMAGE"));
        assertThat(again.getOutput(0).getType().getDenotation()).isEqualTo("PICTURE");
    }

    @Test
    void aTypeOfWhichOnlyThatIsKnownIsWritten() throws InvalidProtocolBufferException {
        TypeProto bare = TypeProto.newBuilder().setDenotation("TEXT").build();
        GraphProto.Builder main = graph(
                        List.of("x"),
                        List.of("y"),
                        node("Odd", List.of("x"), List.of("inner")).setDomain("odd"),
                        node("Odd", List.of("inner"), List.of("y")).setDomain("odd"))
                .addValueInfo(value("inner", bare));
        Model model = Protos.read(Protos.model(main).addOpsetImport(Protos.opset("odd", 1)));
        assertThat(NotesTest.again(model).getValueInfoList()).containsExactly(value("inner", bare));
    }

    @Test
    void whatIsInsideOfSequencesOptionalsAndMapsHasItsOwn() throws InvalidProtocolBufferException {
        TypeProto map = TypeProto.newBuilder()
                .setMapType(TypeProto.Map.newBuilder()
                        .setKeyType(TensorProto.DataType.INT64_VALUE)
                        .setValueType(image("AUDIO")))
                .build();
        TypeProto sequence = TypeProto.newBuilder()
                .setSequenceType(TypeProto.Sequence.newBuilder().setElemType(map))
                .setDenotation("CLIPS")
                .build();
        TypeProto optional = TypeProto.newBuilder()
                .setOptionalType(TypeProto.Optional.newBuilder().setElemType(sequence))
                .build();
        GraphProto.Builder main = graph(List.of("x"), List.of("y"), node("Identity", List.of("x"), List.of("y")));
        main.setInput(0, value("x", optional));
        GraphProto again = NotesTest.again(Protos.read(Protos.model(main)));
        assertThat(again.getInput(0).getType()).isEqualTo(optional);
    }

    @Test
    void typesInAttributesHaveThemToo() throws InvalidProtocolBufferException {
        GraphProto.Builder main = graph(
                List.of("x"),
                List.of("y"),
                node("Odd", List.of("x"), List.of("y"))
                        .setDomain("odd")
                        .addAttribute(AttributeProto.newBuilder()
                                .setName("one")
                                .setType(AttributeProto.AttributeType.TYPE_PROTO)
                                .setTp(image("IMAGE")))
                        .addAttribute(AttributeProto.newBuilder()
                                .setName("many")
                                .setType(AttributeProto.AttributeType.TYPE_PROTOS)
                                .addTypeProtos(info("plain").getType())
                                .addTypeProtos(image("AUDIO"))));
        Model model = Protos.read(Protos.model(main).addOpsetImport(Protos.opset("odd", 1)));
        assertThat(NotesTest.again(model).getNode(0)).isEqualTo(main.getNode(0));
    }

    @Test
    void valuesOfFunctionsHaveThemToo() throws InvalidProtocolBufferException {
        FunctionProto function = FunctionProto.newBuilder()
                .setDomain("my")
                .setName("F")
                .addInput("a")
                .addOutput("b")
                .addOpsetImport(Protos.opset("", 21))
                .addNode(node("Abs", List.of("a"), List.of("b")))
                .addValueInfo(value("a", image("IMAGE")))
                .addValueInfo(value("b", image("PICTURE")))
                .build();
        GraphProto.Builder main = graph(List.of("x"), List.of("y"), node("Abs", List.of("x"), List.of("y")));
        Model model = Protos.read(Protos.model(main).addFunctions(function));
        ModelProto again = ModelProto.parseFrom(Models.toBytes(model));
        assertThat(again.getFunctions(0).getValueInfoList()).isEqualTo(function.getValueInfoList());
    }

    @Test
    void whatIsSaidOfOtherExtentsIsNotSaidOfThese() {
        Denotations ofTwo = Denotations.of("", List.of("", "DATA_CHANNEL"), Denotations.NONE);
        assertThat(ofTwo.dim(1, 2)).isEqualTo("DATA_CHANNEL");
        assertThat(ofTwo.dim(1, 3)).isEmpty();
        assertThat(Denotations.of("", List.of("", ""), Denotations.NONE)).isSameAs(Denotations.NONE);
        assertThat(ValueNotes.NONE.describesValue()).isFalse();
    }

    /** y = relu(x + 1), where the sum is an inner value. */
    private static GraphProto.Builder denoted() {
        GraphProto.Builder main = graph(
                        List.of("x"),
                        List.of("y"),
                        node("Add", List.of("x", "w"), List.of("inner")),
                        node("Relu", List.of("inner"), List.of("y")))
                .addInitializer(NotesTest.tensor("w", 1))
                .addValueInfo(value("inner", image("SUM")));
        main.setInput(0, value("x", image("IMAGE")));
        main.setOutput(0, value("y", image("PICTURE")));
        return main;
    }

    private static ValueInfoProto value(String name, TypeProto type) {
        return ValueInfoProto.newBuilder().setName(name).setType(type).build();
    }

    /** Returns the type of an image of floats with three channels and an unknown number of pixels. */
    private static TypeProto image(String denotation) {
        return TypeProto.newBuilder()
                .setDenotation(denotation)
                .setTensorType(TypeProto.Tensor.newBuilder()
                        .setElemType(TensorProto.DataType.FLOAT_VALUE)
                        .setShape(TensorShapeProto.newBuilder()
                                .addDim(TensorShapeProto.Dimension.newBuilder()
                                        .setDimValue(3)
                                        .setDenotation("DATA_CHANNEL"))
                                .addDim(TensorShapeProto.Dimension.newBuilder().setDimParam("n"))
                                .addDim(TensorShapeProto.Dimension.newBuilder().setDenotation("DATA_FEATURE"))))
                .build();
    }
}
