package dev.millrace.server.grpc;

import com.google.protobuf.Message;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.server.protocol.ModelInferRequest;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.ProtoUtils;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;

/**
 * The reader of requests for inferences. It copies inputs from the buffers of the socket straight to the memory of tensors.
 * Nothing of a request that it returns lies in a buffer of the socket.
 */
final class InferMarshaller implements Marshaller<ReceivedInfer> {
    private static final Marshaller<ModelInferRequest> MESSAGES =
            ProtoUtils.marshaller(ModelInferRequest.getDefaultInstance());

    private InferMarshaller() {}

    /** Returns the description of a method that takes requests for inferences. */
    static <A extends Message> MethodDescriptor<ReceivedInfer, A> method(String name, MethodType type, A answer) {
        return ProtocolMethods.descriptor(name, type, ModelInferRequest.getDefaultInstance(), answer).toBuilder(
                        new InferMarshaller(), ProtoUtils.marshaller(answer))
                .build();
    }

    @Override
    public InputStream stream(ReceivedInfer request) {
        return MESSAGES.stream(request.message());
    }

    @Override
    public ReceivedInfer parse(InputStream stream) {
        try {
            return received(RequestBytes.of(stream));
        } catch (IOException e) {
            return refused(new EngineException(
                    Status.INVALID_ARGUMENT, "the request is no message of the protocol: " + e.getMessage(), e));
        } catch (StatusRuntimeException e) {
            // a packed message that is too large
            return refused(e);
        }
    }

    private static ReceivedInfer refused(RuntimeException why) {
        return new ReceivedInfer(ModelInferRequest.getDefaultInstance(), Map.of(), why);
    }

    private static ReceivedInfer received(RequestBytes bytes) {
        ModelInferRequest rest = bytes.message().toBuilder().clearInputs().build();
        try {
            return new ReceivedInfer(rest, InferMessages.inputs(bytes), null);
        } catch (EngineException e) {
            return new ReceivedInfer(rest, Map.of(), e);
        }
    }
}
