package dev.millrace.server.rest;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.server.model.AnsweredOutputs;
import dev.millrace.server.model.LoadedVersion;
import dev.millrace.server.rest.InferBody.WantedOutput;
import dev.millrace.server.tensor.Datatype;
import dev.millrace.server.tensor.JsonTree;
import dev.millrace.server.tensor.TensorBytes;
import dev.millrace.server.tensor.TensorJson;
import dev.millrace.session.Outputs;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufOutputStream;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JsonGenerator;

/** The answer to a request for an inference. */
final class InferAnswer {
    static final String HEADER_LENGTH = "Inference-Header-Content-Length";

    private static final int COPIED_BYTES = 1 << 14;

    private InferAnswer() {}

    /** Writes an answer and closes the outputs. */
    static HttpAnswer write(InferBody body, LoadedVersion version, Outputs outputs) {
        var blobs = new ArrayList<Tensor>();
        ByteBuf json = PooledByteBufAllocator.DEFAULT.directBuffer();
        try (outputs;
                JsonGenerator to = JsonTree.generator(new ByteBufOutputStream(json))) {
            to.writeStartObject();
            to.writeStringProperty("model_name", version.name());
            to.writeStringProperty("model_version", version.version());
            if (!body.request().id().isEmpty()) {
                to.writeStringProperty("id", body.request().id());
            }
            to.writeName("outputs");
            to.writeStartArray();
            for (WantedOutput each : wanted(body, outputs)) {
                Tensor tensor = AnsweredOutputs.tensor(version.model(), outputs, each.name(), each.classes());
                boolean binary = each.binary() == null ? body.allBinary() : each.binary();
                write(to, each.name(), tensor, binary, blobs);
            }
            to.writeEndArray();
            to.writeEndObject();
            to.flush();
            int document = json.readableBytes();
            return blobs.isEmpty()
                    ? HttpAnswer.body(HttpResponseStatus.OK, "application/json", Map.of(), json)
                    : HttpAnswer.body(
                            HttpResponseStatus.OK,
                            "application/octet-stream",
                            Map.of(HEADER_LENGTH, Integer.toString(document)),
                            withBlobs(json, blobs));
        } catch (RuntimeException e) {
            json.release();
            throw e;
        }
    }

    private static List<WantedOutput> wanted(InferBody body, Outputs outputs) {
        return body.outputs().isEmpty()
                ? outputs.names().stream()
                        .map(name -> new WantedOutput(name, null, 0))
                        .toList()
                : body.outputs();
    }

    private static void write(JsonGenerator to, String name, Tensor tensor, boolean binary, List<Tensor> blobs) {
        to.writeStartObject();
        to.writeStringProperty("name", name);
        to.writeStringProperty(
                "datatype",
                Datatype.require(tensor.type(), "output '" + name + "'").name());
        to.writeName("shape");
        to.writeStartArray();
        for (long extent : tensor.shape().toArray()) {
            to.writeNumber(extent);
        }
        to.writeEndArray();
        if (binary) {
            blobs.add(tensor);
            to.writeName("parameters");
            to.writeStartObject();
            to.writeNumberProperty("binary_data_size", TensorBytes.size(tensor));
            to.writeEndObject();
        } else {
            to.writeName("data");
            TensorJson.write(to, tensor);
        }
        to.writeEndObject();
    }

    /** Returns the bytes of the document and of tensors, in native memory throughout, so that a socket copies none of them. */
    private static ByteBuf withBlobs(ByteBuf json, List<Tensor> blobs) {
        if (blobs.stream().noneMatch(InferAnswer::isHeld)) {
            blobs.forEach(blob -> TensorBytes.write(blob, json::writeBytes));
            return json;
        }
        CompositeByteBuf all = PooledByteBufAllocator.DEFAULT.compositeDirectBuffer(blobs.size() + 1);
        all.addComponent(true, json.retain());
        try {
            blobs.forEach(blob -> all.addComponent(true, isHeld(blob) ? HeldTensor.of(blob) : copy(blob)));
        } catch (RuntimeException e) {
            all.release();
            throw e;
        }
        json.release();
        return all;
    }

    private static ByteBuf copy(Tensor tensor) {
        ByteBuf copy = PooledByteBufAllocator.DEFAULT.directBuffer(Math.toIntExact(TensorBytes.size(tensor)));
        TensorBytes.write(tensor, copy::writeBytes);
        return copy;
    }

    /** Whether a tensor's own memory is sent. Smaller ones are copied, so that their memory serves the next run at once. */
    private static boolean isHeld(Tensor tensor) {
        return tensor.type() != ElementType.STRING && tensor.type().bytes(tensor.elements()) > COPIED_BYTES;
    }
}
