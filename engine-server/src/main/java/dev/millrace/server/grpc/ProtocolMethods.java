package dev.millrace.server.grpc;

import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Message;
import dev.millrace.server.protocol.GrpcServiceProto;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.protobuf.ProtoFileDescriptorSupplier;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;

/** The methods of the protocol's service with their handlers. They take the place of generated stubs. */
final class ProtocolMethods {
    static final String SERVICE = "inference.GRPCInferenceService";

    /** A method and its handler. */
    private record Method<Q, A>(MethodDescriptor<Q, A> descriptor, ServerCallHandler<Q, A> handler) {
        void addTo(ServerServiceDefinition.Builder service) {
            service.addMethod(descriptor, handler);
        }
    }

    private final List<Method<?, ?>> methods = new ArrayList<>();

    /** Returns the description of a method, which clients use, too. */
    static <Q extends Message, A extends Message> MethodDescriptor<Q, A> descriptor(
            String name, MethodType type, Q request, A answer) {
        return MethodDescriptor.<Q, A>newBuilder()
                .setType(type)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
                .setRequestMarshaller(ProtoUtils.marshaller(request))
                .setResponseMarshaller(ProtoUtils.marshaller(answer))
                .build();
    }

    /** Adds a method whose handler answers once. A call that its client gives up cancels the answer. */
    <Q extends Message, A extends Message> ProtocolMethods unary(
            String name, Q request, A answer, Function<Q, Mono<A>> handler) {
        return unary(descriptor(name, MethodType.UNARY, request, answer), handler);
    }

    /** Adds a method whose handler answers once. A call that its client gives up cancels the answer. */
    <Q, A> ProtocolMethods unary(MethodDescriptor<Q, A> method, Function<Q, Mono<A>> handler) {
        methods.add(new Method<>(method, ServerCalls.asyncUnaryCall((asked, observer) -> {
            var call = (ServerCallStreamObserver<A>) observer;
            Disposable.Swap running = Disposables.swap();
            call.setOnCancelHandler(running::dispose);
            running.update(CallObservations.below(CallObservations.current(), Mono.defer(() -> handler.apply(asked)))
                    .subscribe(
                            each -> {
                                call.onNext(each);
                                call.onCompleted();
                            },
                            failure -> call.onError(GrpcFailures.of(failure))));
        })));
        return this;
    }

    /**
     * Adds a method whose calls exchange messages in both directions.
     *
     * @param handler returns the handler of a call with this metadata
     */
    <Q, A> ProtocolMethods exchange(
            MethodDescriptor<Q, A> method, Function<Metadata, ServerCalls.BidiStreamingMethod<Q, A>> handler) {
        methods.add(new Method<>(
                method,
                (call, headers) -> ServerCalls.asyncBidiStreamingCall(handler.apply(headers))
                        .startCall(call, headers)));
        return this;
    }

    /** Adds a method that is described and refused. */
    <Q extends Message, A extends Message> ProtocolMethods refused(String name, Q request, A answer, String reason) {
        return unary(
                name,
                request,
                answer,
                _ -> Mono.error(Status.UNIMPLEMENTED.withDescription(reason).asRuntimeException()));
    }

    ServerServiceDefinition service() {
        var described = ServiceDescriptor.newBuilder(SERVICE).setSchemaDescriptor(new Schema());
        methods.forEach(each -> described.addMethod(each.descriptor));
        var service = ServerServiceDefinition.builder(described.build());
        methods.forEach(each -> each.addTo(service));
        return service.build();
    }

    /** The description of the service for the reflection service. */
    private static final class Schema implements ProtoFileDescriptorSupplier {
        @Override
        public FileDescriptor getFileDescriptor() {
            return GrpcServiceProto.getDescriptor();
        }
    }
}
