package dev.millrace.server.grpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.server.model.AnsweredOutputs;
import dev.millrace.server.model.InferRequest;
import dev.millrace.server.model.LoadedVersion;
import dev.millrace.server.model.RequestParameters;
import dev.millrace.server.model.SharedMemory;
import dev.millrace.server.protocol.InferParameter;
import dev.millrace.server.protocol.ModelInferRequest;
import dev.millrace.server.protocol.ModelInferRequest.InferInputTensor;
import dev.millrace.server.protocol.ModelInferRequest.InferRequestedOutputTensor;
import dev.millrace.server.protocol.ModelInferResponse;
import dev.millrace.server.protocol.ModelInferResponse.InferOutputTensor;
import dev.millrace.server.tensor.Datatype;
import dev.millrace.server.tensor.TensorBytes;
import dev.millrace.session.Outputs;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Requests and answers of inferences as messages. */
final class InferMessages {
    private InferMessages() {}

    /** Returns a request of a message and the inputs that were read of it. */
    static InferRequest request(ModelInferRequest message, Map<String, Tensor> inputs, @Nullable Instant deadline) {
        var parameters = new RequestParameters(values(message.getParametersMap()));
        var outputs = message.getOutputsList().stream()
                .map(InferRequestedOutputTensor::getName)
                .toList();
        var sequence = parameters.sequence();
        long priority = parameters.priority();
        var timeout = parameters.timeout();
        return new InferRequest(message.getId(), inputs, outputs, sequence, priority, timeout, deadline);
    }

    private static void refuseSharedMemory(ModelInferRequest message) {
        message.getInputsList()
                .forEach(each -> SharedMemory.refuse(each.getParametersMap(), "input '" + each.getName() + "'"));
        message.getOutputsList()
                .forEach(each -> SharedMemory.refuse(each.getParametersMap(), "output '" + each.getName() + "'"));
    }

    /** Returns copies of a message's inputs. */
    static Map<String, Tensor> inputs(RequestBytes bytes) {
        ModelInferRequest message = bytes.message();
        List<RequestBytes.Content> contents = bytes.contents();
        refuseSharedMemory(message);
        boolean raw = !contents.isEmpty();
        if (raw && contents.size() != message.getInputsCount()) {
            throw EngineException.invalidArgument("the request has " + message.getInputsCount() + " inputs and "
                    + contents.size() + " raw_input_contents; all inputs are raw, or none");
        }
        var tensors = new LinkedHashMap<String, Tensor>();
        for (int i = 0; i < message.getInputsCount(); i++) {
            InferInputTensor input = message.getInputs(i);
            String place = "input '" + input.getName() + "'";
            Datatype type = Datatype.named(input.getDatatype());
            Shape shape = TensorBytes.shape(place, input.getShapeList());
            Tensor tensor;
            if (raw) {
                if (input.hasContents()) {
                    throw EngineException.invalidArgument(place + " has contents beside raw_input_contents");
                }
                RequestBytes.Content content = contents.get(i);
                tensor = TensorBytes.read(place, type.element(), shape, content.size(), content);
            } else {
                tensor = TypedContents.tensor(place, type, shape, input.getContents());
            }
            if (tensors.put(input.getName(), tensor) != null) {
                throw EngineException.invalidArgument(place + " is there twice");
            }
        }
        return tensors;
    }

    /** Returns parameters as the values that they hold. */
    static Map<String, @Nullable Object> values(Map<String, InferParameter> parameters) {
        var values = new HashMap<String, @Nullable Object>();
        parameters.forEach((name, value) -> values.put(
                name,
                switch (value.getParameterChoiceCase()) {
                    case BOOL_PARAM -> value.getBoolParam();
                    case INT64_PARAM -> value.getInt64Param();
                    case STRING_PARAM -> value.getStringParam();
                    case DOUBLE_PARAM -> value.getDoubleParam();
                    case UINT64_PARAM -> value.getUint64Param();
                    case PARAMETERCHOICE_NOT_SET -> null;
                }));
        return values;
    }

    /** Returns the answer and closes the outputs. */
    static ModelInferResponse response(ModelInferRequest request, LoadedVersion version, Outputs outputs) {
        var response = ModelInferResponse.newBuilder()
                .setModelName(version.name())
                .setModelVersion(version.version())
                .setId(request.getId());
        try (outputs) {
            if (request.getOutputsCount() == 0) {
                outputs.names().forEach(name -> add(response, version, outputs, name, 0));
            }
            for (InferRequestedOutputTensor each : request.getOutputsList()) {
                long classes = new RequestParameters(values(each.getParametersMap())).count("classification");
                add(response, version, outputs, each.getName(), (int) Math.min(classes, Integer.MAX_VALUE));
            }
        }
        return response.build();
    }

    private static void add(
            ModelInferResponse.Builder response, LoadedVersion version, Outputs outputs, String name, int classes) {
        Tensor tensor = AnsweredOutputs.tensor(version.model(), outputs, name, classes);
        response.addOutputs(described(name, tensor));
        response.addRawOutputContents(copy(tensor));
    }

    /** Returns a copy of the bytes of a tensor, whose memory then serves the next run. Protocol Buffers copies native memory, too. */
    private static ByteString copy(Tensor tensor) {
        byte[] copy = new byte[Math.toIntExact(TensorBytes.size(tensor))];
        TensorBytes.write(tensor, bytes -> bytes.get(copy));
        return UnsafeByteOperations.unsafeWrap(copy);
    }

    private static InferOutputTensor described(String name, Tensor tensor) {
        var output = InferOutputTensor.newBuilder()
                .setName(name)
                .setDatatype(
                        Datatype.require(tensor.type(), "output '" + name + "'").name());
        for (long extent : tensor.shape().toArray()) {
            output.addShape(extent);
        }
        return output.build();
    }
}
