package dev.millrace.server.model;

import dev.millrace.graph.EngineException;
import dev.millrace.server.protocol.ModelConfig;
import dev.millrace.server.protocol.ModelInput;
import dev.millrace.server.protocol.ModelMetadataResponse;
import dev.millrace.server.protocol.ModelMetadataResponse.TensorMetadata;
import dev.millrace.server.protocol.ModelOutput;
import dev.millrace.server.protocol.ServerMetadataResponse;
import dev.millrace.server.tensor.Datatype;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Descriptions of the server and its models, as messages of the protocol. */
public final class ServerDescription {
    private static final List<String> EXTENSIONS = List.of(
            "classification",
            "sequence",
            "model_repository",
            "model_repository(unload_dependents)",
            "schedule_policy",
            "model_configuration",
            "binary_tensor_data",
            "parameters",
            "statistics",
            "trace",
            "logging",
            "generate");

    private ServerDescription() {}

    public static ServerMetadataResponse server() {
        String version = ServerDescription.class.getPackage().getImplementationVersion();
        return ServerMetadataResponse.newBuilder()
                .setName("millrace")
                .setVersion(version == null ? "development" : version)
                .addAllExtensions(EXTENSIONS)
                .build();
    }

    /** @param versions the versions that answer */
    public static ModelMetadataResponse model(ModelConfig config, List<String> versions) {
        var rules = new TensorRules(config);
        var metadata = ModelMetadataResponse.newBuilder()
                .setName(config.getName())
                .addAllVersions(versions)
                .setPlatform(config.getPlatform());
        for (ModelInput input : config.getInputList()) {
            metadata.addInputs(
                    tensor(input.getName(), Datatype.of(input.getDataType()), rules.shape(input.getDimsList())));
        }
        for (ModelOutput output : config.getOutputList()) {
            metadata.addOutputs(
                    tensor(output.getName(), Datatype.of(output.getDataType()), rules.shape(output.getDimsList())));
        }
        return metadata.build();
    }

    private static TensorMetadata tensor(String name, @Nullable Datatype type, List<Long> shape) {
        if (type == null) {
            throw EngineException.invalidArgument("'" + name + "' has no known type");
        }
        return TensorMetadata.newBuilder()
                .setName(name)
                .setDatatype(type.name())
                .addAllShape(shape)
                .build();
    }
}
