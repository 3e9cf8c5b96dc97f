package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import inference.GrpcPredictV2.InferTensorContents;
import inference.GrpcPredictV2.ModelInferRequest;
import inference.GrpcPredictV2.ModelInferRequest.InferInputTensor;
import inference.GrpcPredictV2.ModelInferResponse;
import inference.GrpcPredictV2.ModelMetadataResponse;
import inference.GrpcPredictV2.ModelReadyResponse;
import inference.GrpcPredictV2.ServerLiveResponse;
import inference.GrpcPredictV2.ServerReadyResponse;
import java.nio.ByteOrder;
import java.nio.file.Path;
import org.apache.camel.CamelExecutionException;
import org.apache.camel.ProducerTemplate;
import org.apache.camel.impl.DefaultCamelContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the protocol by a client of others: Apache Camel's KServe component. */
class CamelClientTest {
    @TempDir
    static Path folder;

    private static ModelServer server;
    private static DefaultCamelContext camel;
    private static ProducerTemplate requests;

    @BeforeAll
    static void start() {
        new TestRepository(folder).version("plus", 3, ServerModels.plus(1, 2));
        server = ModelServer.start(TestServers.options(folder).build());
        camel = new DefaultCamelContext();
        camel.start();
        requests = camel.createProducerTemplate();
    }

    @AfterAll
    static void stop() {
        camel.stop();
        server.close();
    }

    private static <T> T ask(String api, @Nullable Object body, Class<T> type) {
        char separator = api.indexOf('?') < 0 ? '?' : '&';
        return requests.requestBody("kserve:" + api + separator + "target=127.0.0.1:" + server.grpcPort(), body, type);
    }

    private static ModelInferRequest row(float... values) {
        var contents = InferTensorContents.newBuilder();
        for (float each : values) {
            contents.addFp32Contents(each);
        }
        return ModelInferRequest.newBuilder()
                .addInputs(InferInputTensor.newBuilder()
                        .setName("x")
                        .setDatatype("FP32")
                        .addShape(1)
                        .addShape(values.length)
                        .setContents(contents))
                .build();
    }

    @Test
    void itAsksForHealthAndMetadata() {
        assertThat(ask("server/live", null, ServerLiveResponse.class).getLive()).isTrue();
        assertThat(ask("server/ready", null, ServerReadyResponse.class).getReady())
                .isTrue();
        assertThat(ask("model/ready?modelName=plus&modelVersion=3", null, ModelReadyResponse.class)
                        .getReady())
                .isTrue();
        var model = ask("model/metadata?modelName=plus", null, ModelMetadataResponse.class);
        assertThat(model.getVersionsList()).containsExactly("3");
        assertThat(model.getInputs(0).getDatatype()).isEqualTo("FP32");
    }

    @Test
    void itGetsAnswersAndFailures() {
        ModelInferResponse answer = ask("infer?modelName=plus", row(1, 2), ModelInferResponse.class);
        var floats = answer.getRawOutputContents(0)
                .asReadOnlyByteBuffer()
                .order(ByteOrder.LITTLE_ENDIAN)
                .asFloatBuffer();
        assertThat(new float[] {floats.get(0), floats.get(1)}).containsExactly(2, 3);
        assertThatThrownBy(() -> ask("infer?modelName=gone", row(1, 2), ModelInferResponse.class))
                .isInstanceOf(CamelExecutionException.class)
                .rootCause()
                .hasMessageContaining("NOT_FOUND: there is no model 'gone'");
    }
}
