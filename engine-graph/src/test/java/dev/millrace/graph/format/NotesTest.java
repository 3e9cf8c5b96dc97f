package dev.millrace.graph.format;

import static dev.millrace.graph.format.Protos.graph;
import static dev.millrace.graph.format.Protos.info;
import static dev.millrace.graph.format.Protos.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.FunctionInliner;
import dev.millrace.graph.ir.GraphCopier;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.graph.optimise.pass.ConstantEvaluator;
import dev.millrace.graph.proto.FunctionProto;
import dev.millrace.graph.proto.GraphProto;
import dev.millrace.graph.proto.ModelProto;
import dev.millrace.graph.proto.StringStringEntryProto;
import dev.millrace.graph.proto.TensorAnnotation;
import dev.millrace.graph.proto.TensorProto;
import dev.millrace.graph.proto.TrainingInfoProto;
import dev.millrace.graph.proto.ValueInfoProto;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Metadata and annotations, which do not affect computation, survive reading and writing a model. */
class NotesTest {
    @Test
    void metadataOfInputsOutputsInnerValuesAndInitializersSurvives() throws InvalidProtocolBufferException {
        GraphProto again = again(Protos.read(Protos.model(annotated())));
        assertThat(marks(again.getInputList())).isEqualTo(Map.of("x", "an input", "d", "a default"));
        assertThat(marks(again.getOutputList())).isEqualTo(Map.of("y", "an output"));
        assertThat(marks(again.getValueInfoList())).isEqualTo(Map.of("inner", "a value", "w", "a weight"));
        assertThat(again.getInitializerList().stream()
                        .filter(tensor -> tensor.getMetadataPropsCount() > 0)
                        .collect(Collectors.toMap(
                                TensorProto::getName,
                                tensor -> tensor.getMetadataProps(0).getValue())))
                .isEqualTo(Map.of("w", "a tensor", "d", "a tensor too"));
    }

    @Test
    void quantisationAnnotationsSurvive() throws InvalidProtocolBufferException {
        GraphProto again = again(Protos.read(Protos.model(annotated())));
        assertThat(annotations(again))
                .isEqualTo(Map.of(
                        "x", Map.of("SCALE_TENSOR", "scale"),
                        "inner", Map.of("SCALE_TENSOR", "scale", "ZERO_POINT_TENSOR", "zero"),
                        "w", Map.of("SCALE_TENSOR", "scale"),
                        "y", Map.of("SCALE_TENSOR", "inner")));
    }

    @Test
    void copiesSayTheSame() throws InvalidProtocolBufferException {
        Model model = Protos.read(Protos.model(annotated()));
        GraphProto written = again(model.with(GraphCopier.copy(model.graph(), null)));
        assertThat(written).isEqualTo(again(model));
    }

    @Test
    void whatIsSaidOfNestedGraphsSurvives() throws InvalidProtocolBufferException {
        GraphProto.Builder branch = graph(List.of(), List.of("b"), node("Abs", List.of("w"), List.of("b")))
                .addInitializer(tensor("own", 5))
                .addQuantizationAnnotation(annotation("b", "SCALE_TENSOR", "own"))
                .addQuantizationAnnotation(annotation("own", "SCALE_TENSOR", "scale"));
        branch.setOutput(0, marked("b", "a branch"));
        GraphProto.Builder main = graph(
                        List.of("c"),
                        List.of("y"),
                        node("If", List.of("c"), List.of("y"))
                                .addAttribute(Protos.attribute("then_branch", branch))
                                .addAttribute(Protos.attribute("else_branch", branch)))
                .addInitializer(tensor("w", 2))
                .addInitializer(tensor("scale", 1));
        Model model = Protos.read(Protos.model(main));
        for (Model each : List.of(model, model.with(GraphCopier.copy(model.graph(), null)))) {
            GraphProto inner = again(each).getNode(0).getAttribute(0).getG();
            assertThat(marks(inner.getOutputList())).containsValue("a branch");
            assertThat(annotations(inner))
                    .containsEntry("b", Map.of("SCALE_TENSOR", "own"))
                    .containsEntry("own", Map.of("SCALE_TENSOR", "scale"));
        }
    }

    @Test
    void valuesOfFunctionsKeepTheirsAndTheirCallersHandThemOver() throws InvalidProtocolBufferException {
        FunctionProto.Builder function = FunctionProto.newBuilder()
                .setDomain("my")
                .setName("F")
                .addInput("a")
                .addOutput("c")
                .addOpsetImport(Protos.opset("", 21))
                .addValueInfo(marked("a", "an input"))
                .addValueInfo(marked("b", "a value"))
                .addValueInfo(marked("c", "an output"))
                .addNode(node("Abs", List.of("a"), List.of("b")))
                .addNode(node("Neg", List.of("b"), List.of("c")));
        GraphProto.Builder main = graph(
                        List.of("x"),
                        List.of("z"),
                        node("F", List.of("x"), List.of("y")).setDomain("my"),
                        node("Abs", List.of("y"), List.of("z")))
                .addValueInfo(marked("y", "of the caller"));
        Model model = Protos.read(
                Protos.model(main).addOpsetImport(Protos.opset("my", 1)).addFunctions(function));
        ModelProto written = ModelProto.parseFrom(Models.toBytes(model));
        assertThat(marks(written.getFunctions(0).getValueInfoList()))
                .isEqualTo(Map.of("a", "an input", "b", "a value", "c", "an output"));
        assertThat(marks(again(FunctionInliner.inline(model)).getValueInfoList()))
                .isEqualTo(Map.of("b", "a value", "y", "of the caller"));
    }

    @Test
    void outputsKeepWhatIsSaidOfThemWhenOtherValuesStandForThem() throws InvalidProtocolBufferException {
        GraphProto.Builder chain = graph(
                        List.of("x"),
                        List.of("y"),
                        node("Identity", List.of("x"), List.of("same")),
                        node("Abs", List.of("same"), List.of("inner")),
                        node("Identity", List.of("inner"), List.of("y")))
                .addInitializer(tensor("scale", 3))
                .addValueInfo(marked("same", "gone"))
                .addQuantizationAnnotation(annotation("y", "SCALE_TENSOR", "scale"))
                .addQuantizationAnnotation(annotation("same", "SCALE_TENSOR", "scale"));
        chain.setOutput(0, marked("y", "an output"));
        Model model = Protos.read(Protos.model(chain));
        new Optimiser(Optimiser.Options.DEFAULT, ConstantEvaluator.NONE).optimise(model.graph());
        GraphProto again = again(model);
        assertThat(again.getNodeCount()).isOne();
        assertThat(marks(again.getOutputList())).isEqualTo(Map.of("y", "an output"));
        assertThat(marks(again.getValueInfoList())).isEmpty();
        assertThat(annotations(again)).isEqualTo(Map.of("y", Map.of("SCALE_TENSOR", "scale")));
        assertThat(again.getInitializerList()).extracting(TensorProto::getName).containsExactly("scale");
    }

    @Test
    void annotationsOfWhatIsNotThereArePassedOver() throws InvalidProtocolBufferException {
        GraphProto.Builder main = annotated()
                .addQuantizationAnnotation(annotation("nobody", "SCALE_TENSOR", "scale"))
                .addQuantizationAnnotation(annotation("x", "ZERO_POINT_TENSOR", "nothing"))
                .addQuantizationAnnotation(TensorAnnotation.newBuilder());
        assertThat(annotations(again(Protos.read(Protos.model(main)))))
                .isEqualTo(annotations(again(Protos.read(Protos.model(annotated())))));
    }

    @Test
    void metadataThatClaimsMoreBytesThanThereAreIsRefused() {
        var broken = UnknownFieldSet.newBuilder()
                .addField(
                        ValueInfoProto.METADATA_PROPS_FIELD_NUMBER,
                        UnknownFieldSet.Field.newBuilder()
                                .addLengthDelimited(ByteString.copyFrom(new byte[] {0x0a, 0x7f, 'k'}))
                                .build())
                .build();
        GraphProto.Builder main = graph(List.of("x"), List.of("y"), node("Abs", List.of("x"), List.of("y")))
                .addValueInfo(ValueInfoProto.newBuilder().setName("x").setUnknownFields(broken));
        assertThatThrownBy(() -> Protos.read(Protos.model(main)))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("claims 127 bytes");
    }

    @Test
    void trainingInformationGoesOutAsItCameIn() throws InvalidProtocolBufferException {
        GraphProto.Builder step = graph(List.of(), List.of("new"), node("Abs", List.of("w"), List.of("new")));
        TrainingInfoProto first = TrainingInfoProto.newBuilder()
                .setAlgorithm(step)
                .setInitialization(graph(List.of(), List.of("i"), node("Zeros", List.of(), List.of("i"))))
                .addInitializationBinding(entry("w", "i"))
                .addUpdateBinding(entry("w", "new"))
                .setUnknownFields(UnknownFieldSet.newBuilder()
                        .addField(
                                99,
                                UnknownFieldSet.Field.newBuilder().addVarint(7).build())
                        .build())
                .build();
        Model model = Protos.read(
                Protos.model(annotated()).addTrainingInfo(first).addTrainingInfo(TrainingInfoProto.newBuilder()));
        for (Model each : List.of(
                model,
                FunctionInliner.inline(model),
                model.with(GraphCopier.copy(model.graph(), null)).withMetadata(Map.of()))) {
            assertThat(ModelProto.parseFrom(Models.toBytes(each)).getTrainingInfoList())
                    .containsExactly(first, TrainingInfoProto.getDefaultInstance());
        }
    }

    @Test
    void trainingInformationIsNotLookedInto() {
        var torn = ByteString.copyFrom(new byte[] {(byte) 0x0a, 0x7f, 1, 2, 3});
        byte[] file = Protos.model(annotated())
                .setUnknownFields(UnknownFieldSet.newBuilder()
                        .addField(
                                ModelProto.TRAINING_INFO_FIELD_NUMBER,
                                UnknownFieldSet.Field.newBuilder()
                                        .addLengthDelimited(torn)
                                        .build())
                        .build())
                .build()
                .toByteArray();
        byte[] written = Models.toBytes(Models.read(file, null));
        Model again = Models.read(written, null);
        assertThat(again.training())
                .singleElement()
                .satisfies(message ->
                        assertThat(ByteString.copyFrom(message.asByteBuffer())).isEqualTo(torn));
    }

    static GraphProto.Builder annotated() {
        GraphProto.Builder main = graph(
                        List.of("x", "d"),
                        List.of("y"),
                        node("Mul", List.of("x", "w"), List.of("inner")),
                        node("Add", List.of("inner", "d"), List.of("y")))
                .addInitializer(tensor("w", 2).addMetadataProps(entry("note", "a tensor")))
                .addInitializer(tensor("d", 4).addMetadataProps(entry("note", "a tensor too")))
                .addInitializer(tensor("scale", 1))
                .addInitializer(tensor("zero", 0))
                .addValueInfo(marked("inner", "a value"))
                .addValueInfo(marked("w", "a weight"))
                .addQuantizationAnnotation(annotation("x", "SCALE_TENSOR", "scale"))
                .addQuantizationAnnotation(annotation("inner", "SCALE_TENSOR", "scale", "ZERO_POINT_TENSOR", "zero"))
                .addQuantizationAnnotation(annotation("w", "SCALE_TENSOR", "scale"))
                .addQuantizationAnnotation(annotation("y", "SCALE_TENSOR", "inner"));
        return main.setInput(0, marked("x", "an input"))
                .setInput(1, marked("d", "a default"))
                .setOutput(0, marked("y", "an output"));
    }

    static TensorProto.Builder tensor(String name, float value) {
        return TensorProto.newBuilder()
                .setName(name)
                .setDataType(TensorProto.DataType.FLOAT_VALUE)
                .addFloatData(value);
    }

    private static TensorAnnotation.Builder annotation(String tensor, String... rolesAndNames) {
        var annotation = TensorAnnotation.newBuilder().setTensorName(tensor);
        for (int i = 0; i < rolesAndNames.length; i += 2) {
            annotation.addQuantParameterTensorNames(entry(rolesAndNames[i], rolesAndNames[i + 1]));
        }
        return annotation;
    }

    static ValueInfoProto marked(String name, String note) {
        return info(name).toBuilder().addMetadataProps(entry("note", note)).build();
    }

    static StringStringEntryProto entry(String key, String value) {
        return StringStringEntryProto.newBuilder().setKey(key).setValue(value).build();
    }

    /** Returns the graph of the model's file after it is written, read and written again. */
    static GraphProto again(Model model) throws InvalidProtocolBufferException {
        Model read = Models.read(Models.toBytes(model), null);
        return ModelProto.parseFrom(Models.toBytes(read)).getGraph();
    }

    private static Map<String, String> marks(List<ValueInfoProto> infos) {
        var marks = new TreeMap<String, String>();
        infos.stream()
                .filter(info -> info.getMetadataPropsCount() > 0)
                .forEach(info ->
                        marks.put(info.getName(), info.getMetadataProps(0).getValue()));
        return marks;
    }

    private static Map<String, Map<String, String>> annotations(GraphProto graph) {
        Function<TensorAnnotation, Map<String, String>> parameters =
                annotation -> annotation.getQuantParameterTensorNamesList().stream()
                        .collect(Collectors.toMap(StringStringEntryProto::getKey, StringStringEntryProto::getValue));
        return graph.getQuantizationAnnotationList().stream()
                .collect(Collectors.toMap(TensorAnnotation::getTensorName, parameters));
    }
}
