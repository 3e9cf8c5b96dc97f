package dev.millrace.server;

import com.google.protobuf.ByteString;
import dev.millrace.server.protocol.InferParameter;
import dev.millrace.server.protocol.ModelInferRequest;
import dev.millrace.server.protocol.ModelInferRequest.InferInputTensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Requests to the models of {@link ServerModels}, as JSON and as messages of gRPC. */
final class TestRequests {
    private TestRequests() {}

    /** One row with one number, for {@link ServerModels#plus}. */
    static String row(String input, float value) {
        return "{\"inputs\": [{\"name\": \"" + input + "\", \"datatype\": \"FP32\", \"shape\": [1, 1], \"data\": ["
                + value + "]}]}";
    }

    /** Returns one row with a zero as a message of gRPC, for {@link ServerModels#plus}. */
    static ModelInferRequest message(String model) {
        return ModelInferRequest.newBuilder()
                .setModelName(model)
                .addInputs(InferInputTensor.newBuilder()
                        .setName("x")
                        .setDatatype("FP32")
                        .addShape(1)
                        .addShape(1))
                .addRawInputContents(ByteString.copyFrom(new byte[Float.BYTES]))
                .build();
    }

    /** So many rounds of {@link ServerModels#loop}, with a time limit. */
    static String loops(long count, long micros) {
        return "{\"parameters\": {\"timeout\": " + micros + "}, \"inputs\": ["
                + "{\"name\": \"n\", \"datatype\": \"INT64\", \"shape\": [], \"data\": [" + count + "]},"
                + "{\"name\": \"x\", \"datatype\": \"FP32\", \"shape\": [1], \"data\": [1]}]}";
    }

    /** Returns these rounds as a message of gRPC. */
    static ModelInferRequest loop(long count, long micros) {
        var numbers =
                ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(0, count);
        return ModelInferRequest.newBuilder()
                .setModelName("loop")
                .putParameters(
                        "timeout",
                        InferParameter.newBuilder().setInt64Param(micros).build())
                .addInputs(InferInputTensor.newBuilder().setName("n").setDatatype("INT64"))
                .addRawInputContents(ByteString.copyFrom(numbers))
                .addInputs(InferInputTensor.newBuilder()
                        .setName("x")
                        .setDatatype("FP32")
                        .addShape(1))
                .addRawInputContents(ByteString.copyFrom(new byte[Float.BYTES]))
                .build();
    }
}
