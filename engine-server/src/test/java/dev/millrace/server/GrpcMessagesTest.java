package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.server.protocol.ModelInferRequest;
import dev.millrace.server.protocol.ModelInferRequest.InferInputTensor;
import dev.millrace.server.protocol.ModelInferResponse;
import dev.millrace.server.protocol.ModelReadyRequest;
import dev.millrace.server.protocol.ModelReadyResponse;
import dev.millrace.server.protocol.ServerReadyRequest;
import dev.millrace.server.protocol.ServerReadyResponse;
import io.grpc.CallOptions;
import io.grpc.Codec;
import io.grpc.CompressorRegistry;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests messages of gRPC that are packed or broken, and calls that last as long as a client watches. */
class GrpcMessagesTest {
    private static final int ELEMENTS = 100_000;

    @TempDir
    Path folder;

    /** Messages as their bytes. */
    private static final class Bytes implements Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] message) {
            return new ByteArrayInputStream(message);
        }

        @Override
        public byte[] parse(InputStream message) {
            try {
                return message.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** The encoding that gRPC's C core has, and gRPC's Java not. */
    private static final class Deflate implements Codec {
        @Override
        public String getMessageEncoding() {
            return "deflate";
        }

        @Override
        public InputStream decompress(InputStream packed) {
            throw new UnsupportedOperationException("this client sends deflated messages, and reads none");
        }

        @Override
        public OutputStream compress(OutputStream target) {
            return new DeflaterOutputStream(target);
        }
    }

    private static byte[] infer(ModelServer server, String encoding, byte[] message) throws InterruptedException {
        var bytes = new Bytes();
        var method = MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(MethodType.UNARY)
                .setFullMethodName("inference.GRPCInferenceService/ModelInfer")
                .setRequestMarshaller(bytes)
                .setResponseMarshaller(bytes)
                .build();
        CompressorRegistry encodings = CompressorRegistry.newEmptyInstance();
        encodings.register(Codec.Identity.NONE);
        encodings.register(new Codec.Gzip());
        encodings.register(new Deflate());
        var channel = NettyChannelBuilder.forAddress("127.0.0.1", server.grpcPort())
                .usePlaintext()
                .compressorRegistry(encodings)
                .build();
        try {
            var options = CallOptions.DEFAULT.withDeadlineAfter(30, TimeUnit.SECONDS);
            return ClientCalls.blockingUnaryCall(channel, method, options.withCompression(encoding), message);
        } finally {
            channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
        }
    }

    private static ModelInferRequest zeros(int elements) {
        return ModelInferRequest.newBuilder()
                .setModelName("same")
                .addInputs(InferInputTensor.newBuilder()
                        .setName("x")
                        .setDatatype("FP32")
                        .addShape(elements))
                .addRawInputContents(ByteString.copyFrom(new byte[4 * elements]))
                .build();
    }

    @ParameterizedTest
    @ValueSource(strings = {"identity", "gzip", "deflate"})
    void messagesMayBePacked(String encoding) throws Exception {
        new TestRepository(folder).version("same", 1, ServerModels.same(ElementType.FLOAT));
        try (var server = TestServers.start(folder)) {
            byte[] answer = infer(server, encoding, zeros(ELEMENTS).toByteArray());
            assertThat(ModelInferResponse.parseFrom(answer)
                            .getRawOutputContents(0)
                            .size())
                    .isEqualTo(4 * ELEMENTS);
        }
    }

    @Test
    void packedMessagesThatAreTooLargeAndBrokenOnesAreRefused() {
        new TestRepository(folder).version("same", 1, ServerModels.same(ElementType.FLOAT));
        try (var server = ModelServer.start(
                TestServers.options(folder).maxBodyBytes(ELEMENTS).build())) {
            assertRefused(server, zeros(ELEMENTS).toByteArray(), Status.Code.RESOURCE_EXHAUSTED, "");
            assertRefused(server, new byte[] {-1, 1, 2, 3}, Status.Code.INVALID_ARGUMENT, "no message of the protocol");
            byte[] cut = zeros(8).toByteArray();
            assertRefused(
                    server, Arrays.copyOf(cut, cut.length - 1), Status.Code.INVALID_ARGUMENT, "ends within a field");
        }
    }

    private static void assertRefused(ModelServer server, byte[] message, Status.Code code, String words) {
        assertThatThrownBy(() -> infer(server, "gzip", message))
                .isInstanceOfSatisfying(StatusRuntimeException.class, e -> {
                    assertThat(e.getStatus().getCode()).as(e.toString()).isEqualTo(code);
                    assertThat(e.getStatus().getDescription()).contains(words);
                });
    }

    @Test
    void aModelThatIsNotThereIsNotReady() {
        new TestRepository(folder).version("same", 1, ServerModels.same(ElementType.FLOAT));
        try (var server = TestServers.start(folder);
                var client = new GrpcClient(server)) {
            var gone = ModelReadyRequest.newBuilder().setName("gone").build();
            assertThat(client.call("ModelReady", gone, ModelReadyResponse.getDefaultInstance())
                            .getReady())
                    .isFalse();
        }
    }

    @Test
    void aFailureIsToldInWordsThatFitATrailer() {
        new TestRepository(folder).version("same", 1, ServerModels.same(ElementType.FLOAT));
        try (var server = TestServers.start(folder);
                var client = new GrpcClient(server)) {
            var unknown = zeros(1).toBuilder().setModelName("ü".repeat(20_000)).build();
            assertThatThrownBy(() -> client.call("ModelInfer", unknown, ModelInferResponse.getDefaultInstance()))
                    .isInstanceOfSatisfying(StatusRuntimeException.class, e -> {
                        assertThat(e.getStatus().getCode()).as(e.toString()).isEqualTo(Status.Code.NOT_FOUND);
                        assertThat(e.getStatus().getDescription())
                                .startsWith("there is no model 'üü")
                                .endsWith("ü…");
                    });
        }
    }

    @Test
    void aScalarForABatchIsRefusedAndHoldsNothing() {
        new TestRepository(folder).version("same", 1, ServerModels.plus(1, 2)).config("same", "max_batch_size: 8");
        long start;
        try (var server = TestServers.start(folder);
                var client = new GrpcClient(server)) {
            var scalar = ModelInferRequest.newBuilder()
                    .setModelName("same")
                    .addInputs(InferInputTensor.newBuilder().setName("x").setDatatype("FP32"))
                    .addRawInputContents(ByteString.copyFrom(new byte[4]))
                    .build();
            assertThatThrownBy(() -> client.call("ModelInfer", scalar, ModelInferResponse.getDefaultInstance()))
                    .isInstanceOfSatisfying(
                            StatusRuntimeException.class,
                            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT));
            start = System.nanoTime();
        }
        // a version that a request still holds is waited for
        assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(8));
    }

    /** Keeps what a client hears that watches the health. */
    private record Watch(BlockingQueue<ServingStatus> heard) implements StreamObserver<HealthCheckResponse> {
        @Override
        public void onNext(HealthCheckResponse answer) {
            heard.add(answer.getStatus());
        }

        @Override
        public void onError(Throwable failure) {
            heard.add(ServingStatus.UNKNOWN);
        }

        @Override
        public void onCompleted() {
            heard.add(ServingStatus.UNKNOWN);
        }
    }

    @Test
    void clientsThatWatchTheHealthTakeNoPlaceAndAreNotWaitedFor() throws Exception {
        new TestRepository(folder).version("same", 1, ServerModels.same(ElementType.FLOAT));
        Duration drain = Duration.ofSeconds(60);
        try (var server = ModelServer.start(
                        TestServers.options(folder).maxRequests(1).drain(drain).build());
                var client = new GrpcClient(server)) {
            var first = new Watch(new LinkedBlockingQueue<>());
            var second = new Watch(new LinkedBlockingQueue<>());
            for (Watch each : List.of(first, second)) {
                HealthGrpc.newStub(client.channel()).watch(HealthCheckRequest.getDefaultInstance(), each);
                assertThat(each.heard.poll(10, TimeUnit.SECONDS)).isEqualTo(ServingStatus.SERVING);
            }
            assertThat(client.call(
                                    "ServerReady",
                                    ServerReadyRequest.getDefaultInstance(),
                                    ServerReadyResponse.getDefaultInstance())
                            .getReady())
                    .isTrue();
            assertThat(client.call("ModelInfer", zeros(1), ModelInferResponse.getDefaultInstance())
                            .getOutputsCount())
                    .isEqualTo(1);
            long start = System.nanoTime();
            server.close();
            assertThat(System.nanoTime() - start).isLessThan(drain.toNanos() / 2);
            assertThat(first.heard.poll(10, TimeUnit.SECONDS)).isEqualTo(ServingStatus.NOT_SERVING);
            assertThat(second.heard.poll(10, TimeUnit.SECONDS)).isEqualTo(ServingStatus.NOT_SERVING);
        }
    }
}
