package dev.millrace.graph.format;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import dev.millrace.graph.ir.Function;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.proto.GraphProto;
import dev.millrace.graph.proto.ModelProto;
import java.lang.foreign.MemorySegment;

/** Makes what a model's file holds. */
final class OnnxWriter {
    /** The first that lets initializers stand without being inputs. */
    private static final long OLDEST_IR = 4;

    private OnnxWriter() {}

    static ModelImage write(Model model, TensorWriter tensors) {
        Model.Header header = model.header();
        var proto = ModelProto.newBuilder()
                .setIrVersion(Math.max(header.irVersion(), OLDEST_IR))
                .setProducerName(header.producerName())
                .setProducerVersion(header.producerVersion())
                .setDomain(header.domain())
                .setModelVersion(header.modelVersion())
                .setDocStringBytes(TensorWriter.bytes(header.documentation()));
        model.metadata().forEach((key, value) -> proto.addMetadataProps(TensorWriter.entry(key, value)));
        var imports = new OpsetImports(model.opsets());
        GraphProto graph = new GraphWriter(imports, tensors).write(model.graph(), null);
        for (Function function : model.functions().values()) {
            var ownImports = new OpsetImports(function.opsets());
            proto.addFunctions(new GraphWriter(ownImports, tensors).write(function));
        }
        proto.setUnknownFields(training(model));
        return new ModelImage(proto.addAllOpsetImport(imports.toProtos()).build(), graph, tensors.large());
    }

    /** The messages go out as they came in, whatever they hold. */
    private static UnknownFieldSet training(Model model) {
        long bytes = 0;
        var field = UnknownFieldSet.Field.newBuilder();
        for (MemorySegment message : model.training()) {
            bytes += message.byteSize();
            ModelImage.refuseBeyondLimit(bytes);
            field.addLengthDelimited(ByteString.copyFrom(message.asByteBuffer()));
        }
        return model.training().isEmpty()
                ? UnknownFieldSet.getDefaultInstance()
                : UnknownFieldSet.newBuilder()
                        .addField(ModelProto.TRAINING_INFO_FIELD_NUMBER, field.build())
                        .build();
    }
}
