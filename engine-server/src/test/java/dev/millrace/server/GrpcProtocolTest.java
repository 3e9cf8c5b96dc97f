package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.server.protocol.InferParameter;
import dev.millrace.server.protocol.InferTensorContents;
import dev.millrace.server.protocol.LogSettingsRequest;
import dev.millrace.server.protocol.LogSettingsResponse;
import dev.millrace.server.protocol.ModelConfigRequest;
import dev.millrace.server.protocol.ModelConfigResponse;
import dev.millrace.server.protocol.ModelInferRequest;
import dev.millrace.server.protocol.ModelInferRequest.InferInputTensor;
import dev.millrace.server.protocol.ModelInferRequest.InferRequestedOutputTensor;
import dev.millrace.server.protocol.ModelInferResponse;
import dev.millrace.server.protocol.ModelMetadataRequest;
import dev.millrace.server.protocol.ModelMetadataResponse;
import dev.millrace.server.protocol.ModelReadyRequest;
import dev.millrace.server.protocol.ModelReadyResponse;
import dev.millrace.server.protocol.ModelStatisticsRequest;
import dev.millrace.server.protocol.ModelStatisticsResponse;
import dev.millrace.server.protocol.ModelStreamInferResponse;
import dev.millrace.server.protocol.ServerLiveRequest;
import dev.millrace.server.protocol.ServerLiveResponse;
import dev.millrace.server.protocol.ServerMetadataRequest;
import dev.millrace.server.protocol.ServerMetadataResponse;
import dev.millrace.server.protocol.ServerReadyRequest;
import dev.millrace.server.protocol.ServerReadyResponse;
import dev.millrace.server.protocol.SystemSharedMemoryStatusRequest;
import dev.millrace.server.protocol.SystemSharedMemoryStatusResponse;
import dev.millrace.server.protocol.TraceSettingRequest;
import dev.millrace.server.protocol.TraceSettingResponse;
import io.grpc.CallOptions;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the protocol by gRPC. */
class GrpcProtocolTest {
    @TempDir
    static Path folder;

    private static ModelServer server;
    private static GrpcClient client;

    @BeforeAll
    static void start() {
        new TestRepository(folder)
                .version("plus", 1, ServerModels.plus(1, 2))
                .version("text", 1, ServerModels.same(ElementType.STRING))
                .version("half", 1, ServerModels.same(ElementType.FLOAT16))
                .version("wide", 1, ServerModels.same(ElementType.UINT64))
                .version("loop", 1, ServerModels.loop());
        server = TestServers.start(folder);
        client = new GrpcClient(server);
    }

    @AfterAll
    static void stop() {
        client.close();
        server.close();
    }

    private static ModelInferRequest.Builder request(String model, String datatype, long... shape) {
        var input = InferInputTensor.newBuilder().setName("x").setDatatype(datatype);
        for (long extent : shape) {
            input.addShape(extent);
        }
        return ModelInferRequest.newBuilder().setModelName(model).setId("7").addInputs(input);
    }

    private static ByteString floats(float... values) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
        for (float each : values) {
            bytes.putFloat(each);
        }
        return ByteString.copyFrom(bytes.flip());
    }

    private static ModelInferResponse infer(ModelInferRequest request) {
        return client.call("ModelInfer", request, ModelInferResponse.getDefaultInstance());
    }

    @Test
    void liveReadyAndServing() {
        assertThat(client.call(
                                "ServerLive",
                                ServerLiveRequest.getDefaultInstance(),
                                ServerLiveResponse.getDefaultInstance())
                        .getLive())
                .isTrue();
        assertThat(client.call(
                                "ServerReady",
                                ServerReadyRequest.getDefaultInstance(),
                                ServerReadyResponse.getDefaultInstance())
                        .getReady())
                .isTrue();
        assertThat(client.call(
                                "ModelReady",
                                ModelReadyRequest.newBuilder().setName("plus").build(),
                                ModelReadyResponse.getDefaultInstance())
                        .getReady())
                .isTrue();
        var health = HealthGrpc.newBlockingStub(client.channel()).check(HealthCheckRequest.getDefaultInstance());
        assertThat(health.getStatus()).isEqualTo(ServingStatus.SERVING);
    }

    @Test
    void metadataConfigurationAndStatistics() {
        assertThat(client.call(
                                "ServerMetadata",
                                ServerMetadataRequest.getDefaultInstance(),
                                ServerMetadataResponse.getDefaultInstance())
                        .getExtensionsList())
                .contains("model_repository");
        var model = client.call(
                "ModelMetadata",
                ModelMetadataRequest.newBuilder().setName("plus").build(),
                ModelMetadataResponse.getDefaultInstance());
        assertThat(model.getInputs(0).getShapeList()).containsExactly(-1L, 2L);
        assertThat(client.call(
                                "ModelConfig",
                                ModelConfigRequest.newBuilder().setName("plus").build(),
                                ModelConfigResponse.getDefaultInstance())
                        .getConfig()
                        .getPlatform())
                .isEqualTo("millrace_onnx");
        assertThat(client.call(
                                "ModelStatistics",
                                ModelStatisticsRequest.getDefaultInstance(),
                                ModelStatisticsResponse.getDefaultInstance())
                        .getModelStatsList())
                .hasSize(5);
    }

    @Test
    void rawContentsInAndOut() {
        var answer = infer(request("plus", "FP32", 1, 2)
                .addRawInputContents(floats(1, 2))
                .addOutputs(InferRequestedOutputTensor.newBuilder().setName("y"))
                .build());
        assertThat(answer.getId()).isEqualTo("7");
        assertThat(answer.getOutputs(0).getShapeList()).containsExactly(1L, 2L);
        assertThat(answer.getRawOutputContents(0)).isEqualTo(floats(2, 3));
    }

    @Test
    void typedContents() {
        var numbers = request("plus", "FP32", 1, 2);
        numbers.getInputsBuilder(0)
                .setContents(InferTensorContents.newBuilder().addFp32Contents(1).addFp32Contents(2));
        assertThat(infer(numbers.build()).getRawOutputContents(0)).isEqualTo(floats(2, 3));
        var texts = request("text", "BYTES", 1);
        texts.getInputsBuilder(0)
                .setContents(InferTensorContents.newBuilder().addBytesContents(ByteString.copyFromUtf8("ü")));
        assertThat(infer(texts.build()).getRawOutputContents(0).toByteArray())
                .containsExactly(2, 0, 0, 0, (byte) 0xC3, (byte) 0xBC);
        var wide = request("wide", "UINT64", 1);
        wide.getInputsBuilder(0).setContents(InferTensorContents.newBuilder().addUint64Contents(-1));
        assertThat(infer(wide.build()).getRawOutputContents(0).toByteArray()).containsOnly(-1);
        assertThat(infer(request("half", "FP16", 1)
                                .addRawInputContents(ByteString.copyFrom(new byte[] {0, 60}))
                                .build())
                        .getRawOutputContents(0)
                        .toByteArray())
                .containsExactly(0, 60);
    }

    @Test
    void classesAreTexts() {
        var answer = infer(request("plus", "FP32", 1, 2)
                .addRawInputContents(floats(1, 2))
                .addOutputs(InferRequestedOutputTensor.newBuilder()
                        .setName("y")
                        .putParameters(
                                "classification",
                                InferParameter.newBuilder().setInt64Param(1).build()))
                .build());
        assertThat(answer.getOutputs(0).getDatatype()).isEqualTo("BYTES");
        assertThat(answer.getRawOutputContents(0).toStringUtf8()).contains("3.000000:1");
    }

    @Test
    void wrongRequestsHaveTheProtocolsStatus() {
        assertStatus(request("gone", "FP32", 1).build(), Status.Code.NOT_FOUND, "no model 'gone'");
        assertStatus(request("plus", "FP32", 1, 2).build(), Status.Code.INVALID_ARGUMENT, "0 elements");
        assertStatus(
                request("plus", "FP32", 1, 2).addRawInputContents(floats(1)).build(),
                Status.Code.INVALID_ARGUMENT,
                "4 bytes");
        assertStatus(request("half", "FP16", 1).build(), Status.Code.INVALID_ARGUMENT, "raw_input_contents");
        assertThatThrownBy(() -> client.call(
                        "SystemSharedMemoryStatus",
                        SystemSharedMemoryStatusRequest.getDefaultInstance(),
                        SystemSharedMemoryStatusResponse.getDefaultInstance()))
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNIMPLEMENTED));
    }

    private static void assertStatus(ModelInferRequest request, Status.Code code, String words) {
        assertThatThrownBy(() -> infer(request)).isInstanceOfSatisfying(StatusRuntimeException.class, e -> {
            assertThat(e.getStatus().getCode()).isEqualTo(code);
            assertThat(e.getStatus().getDescription()).contains(words);
        });
    }

    @Test
    void aDeadlineStopsTheRun() throws Exception {
        var input = request("loop", "FP32", 1).addRawInputContents(floats(1));
        input.addInputs(InferInputTensor.newBuilder().setName("n").setDatatype("INT64"))
                .addRawInputContents(ByteString.copyFrom(new byte[] {-1, -1, -1, -1, -1, -1, -1, 127}));
        assertThatThrownBy(() ->
                        client.call("ModelInfer", input.build(), ModelInferResponse.getDefaultInstance(), 200, "none"))
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.DEADLINE_EXCEEDED));
        for (int i = 0; i < 100 && !hasFailed(); i++) {
            TimeUnit.MILLISECONDS.sleep(50);
        }
        assertThat(hasFailed()).isTrue();
        assertThat(infer(request("plus", "FP32", 1, 2)
                                .addRawInputContents(floats(1, 2))
                                .build())
                        .getOutputsCount())
                .isEqualTo(1);
    }

    private static boolean hasFailed() {
        return client.call(
                                "ModelStatistics",
                                ModelStatisticsRequest.newBuilder()
                                        .setName("loop")
                                        .build(),
                                ModelStatisticsResponse.getDefaultInstance())
                        .getModelStats(0)
                        .getInferenceStats()
                        .getFail()
                        .getCount()
                > 0;
    }

    @Test
    void anExchangeAnswersInOrderAndGoesOnAfterAFailure() throws Exception {
        var answers = new ArrayList<ModelStreamInferResponse>();
        var ended = new CompletableFuture<List<ModelStreamInferResponse>>();
        StreamObserver<ModelInferRequest> requests = client.exchange(
                "ModelStreamInfer",
                ModelInferRequest.getDefaultInstance(),
                ModelStreamInferResponse.getDefaultInstance(),
                new StreamObserver<>() {
                    @Override
                    public void onNext(ModelStreamInferResponse answer) {
                        answers.add(answer);
                    }

                    @Override
                    public void onError(Throwable failure) {
                        ended.completeExceptionally(failure);
                    }

                    @Override
                    public void onCompleted() {
                        ended.complete(answers);
                    }
                });
        int count = 200;
        for (int i = 0; i < count; i++) {
            requests.onNext(request(i == 5 ? "gone" : "plus", "FP32", 1, 2)
                    .setId(Integer.toString(i))
                    .addRawInputContents(floats(i, 2))
                    .build());
        }
        requests.onCompleted();
        List<ModelStreamInferResponse> all = ended.get(30, TimeUnit.SECONDS);
        assertThat(all).hasSize(count);
        for (int i = 0; i < count; i++) {
            assertThat(all.get(i).getInferResponse().getId()).isEqualTo(Integer.toString(i));
            assertThat(all.get(i)
                            .getInferResponse()
                            .getParametersOrThrow("triton_final_response")
                            .getBoolParam())
                    .isTrue();
            if (i == 5) {
                assertThat(all.get(i).getErrorMessage()).contains("no model 'gone'");
            } else {
                assertThat(all.get(i).getInferResponse().getRawOutputContents(0))
                        .isEqualTo(floats(i + 1, 3));
            }
        }
    }

    @Test
    void messagesOfManyMegabytesPass() {
        float[] rows = new float[8 << 20];
        var answer = infer(request("plus", "FP32", rows.length / 2, 2)
                .addRawInputContents(floats(rows))
                .build());
        assertThat(answer.getRawOutputContents(0).size()).isEqualTo(4 * rows.length);
    }

    /** The messages of both versions are alike. */
    @ParameterizedTest
    @ValueSource(strings = {"v1", "v1alpha"})
    void reflectionKnowsTheService(String version) throws Exception {
        var method = ServerReflectionGrpc.getServerReflectionInfoMethod().toBuilder()
                .setFullMethodName("grpc.reflection." + version + ".ServerReflection/ServerReflectionInfo")
                .build();
        var heard = new CompletableFuture<ServerReflectionResponse>();
        var call = client.channel().newCall(method, CallOptions.DEFAULT);
        var requests = ClientCalls.asyncBidiStreamingCall(call, new StreamObserver<ServerReflectionResponse>() {
            @Override
            public void onNext(ServerReflectionResponse answer) {
                heard.complete(answer);
            }

            @Override
            public void onError(Throwable failure) {
                heard.completeExceptionally(failure);
            }

            @Override
            public void onCompleted() {}
        });
        requests.onNext(ServerReflectionRequest.newBuilder()
                .setFileContainingSymbol("inference.GRPCInferenceService")
                .build());
        assertThat(heard.get(10, TimeUnit.SECONDS).getFileDescriptorResponse().getFileDescriptorProtoCount())
                .isEqualTo(2);
        requests.onCompleted();
    }

    @Test
    void settingsAreTold() {
        assertThat(client.call(
                                "TraceSetting",
                                TraceSettingRequest.getDefaultInstance(),
                                TraceSettingResponse.getDefaultInstance())
                        .getSettingsMap())
                .containsKey("trace_level");
        assertThatThrownBy(() -> client.call(
                        "TraceSetting",
                        TraceSettingRequest.newBuilder().setModelName("gone").build(),
                        TraceSettingResponse.getDefaultInstance()))
                .isInstanceOfSatisfying(
                        StatusRuntimeException.class,
                        e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND));
        assertThat(client.call(
                                "LogSettings",
                                LogSettingsRequest.getDefaultInstance(),
                                LogSettingsResponse.getDefaultInstance())
                        .getSettingsOrThrow("log_info")
                        .getBoolParam())
                .isTrue();
    }
}
