package dev.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Adapters in a model of three words: each word follows itself, unless an adapter makes another one likelier. */
class AdapterTest {
    private static final int WORDS = 3;

    @TempDir
    private Path folder = Path.of("");

    @BeforeEach
    void write() throws IOException {
        Files.writeString(folder.resolve("tokenizer.json"), """
            {"model": {"type": "WordLevel", "unk_token": "a", "vocab": {"a": 0, "b": 1, "c": 2}},
             "pre_tokenizer": {"type": "Whitespace"}}
            """);
        var editor = new GraphEditor(Graph.named("words"));
        Value ids = editor.addInput(
                "input_ids",
                ValueType.tensor(ElementType.INT64, SymbolicShape.of(Dim.symbol("batch"), Dim.symbol("sequence"))));
        Value down = editor.addInput(
                "head.lora_A.weight",
                ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.of(WORDS), Dim.symbol("rank"))));
        Value up = editor.addInput(
                "head.lora_B.weight",
                ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.symbol("rank"), Dim.of(WORDS))));
        Value rows = editor.addConstant("rows", Tensor.copyOf(new float[] {1, 0, 0, 0, 1, 0, 0, 0, 1}, WORDS, WORDS));
        Value plain = editor.append(NodeSpec.of(OpId.onnx("Gather"), 21, rows, ids), List.of("plain"))
                .requireOutput(0);
        Value low = editor.append(NodeSpec.of(OpId.onnx("MatMul"), 21, plain, down), List.of("low"))
                .requireOutput(0);
        Value change = editor.append(NodeSpec.of(OpId.onnx("MatMul"), 21, low, up), List.of("change"))
                .requireOutput(0);
        editor.addOutput(
                "logits",
                editor.append(NodeSpec.of(OpId.onnx("Add"), 21, plain, change), List.of("logits"))
                        .requireOutput(0));
        var header = new Model.Header(10, "test", "1", "", 1, "");
        Files.write(
                folder.resolve("model.onnx"),
                Models.toBytes(new Model(header, Map.of("", 21), Map.of(), Map.of(), editor.graph(), null)));
    }

    /** Returns an adapter of rank 1 behind which a word follows a word. */
    private static Map<String, float[]> follow(int word, int next) {
        float[] down = new float[WORDS];
        float[] up = new float[WORDS];
        down[word] = 3;
        up[next] = 1;
        return Map.of("head.lora_A.weight", down, "head.lora_B.weight", up);
    }

    private static long[] shape(String name) {
        return name.contains("_A") ? new long[] {WORDS, 1} : new long[] {1, WORDS};
    }

    private Path safeTensors(Map<String, float[]> tensors) throws IOException {
        var header = new StringBuilder("{\"__metadata__\": {\"format\": \"pt\"}");
        ByteBuffer data =
                ByteBuffer.allocate(tensors.size() * WORDS * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        tensors.forEach((name, values) -> {
            long[] shape = shape(name);
            header.append(", \"%s\": {\"dtype\": \"F32\", \"shape\": [%d, %d], \"data_offsets\": [%d, %d]}"
                    .formatted(name, shape[0], shape[1], data.position(), data.position() + WORDS * Float.BYTES));
            for (float value : values) {
                data.putFloat(value);
            }
        });
        byte[] json = header.append('}').toString().getBytes(StandardCharsets.UTF_8);
        ByteBuffer all =
                ByteBuffer.allocate(Long.BYTES + json.length + data.capacity()).order(ByteOrder.LITTLE_ENDIAN);
        all.putLong(json.length).put(json).put(data.array());
        return Files.write(folder.resolve("adapter.safetensors"), all.array());
    }

    /** Writes a flatbuffer: tables before their contents, each table behind its list of fields. */
    private Path flat(Map<String, float[]> tensors) throws IOException {
        ByteBuffer out = ByteBuffer.allocate(4096).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(20).put("TORT".getBytes(StandardCharsets.US_ASCII));
        // the fields of an adapter: three numbers that are left out, and the parameters
        out.putShort((short) 12)
                .putShort((short) 8)
                .putShort((short) 0)
                .putShort((short) 0)
                .putShort((short) 0);
        out.putShort((short) 4);
        out.putInt(12).putInt(4).putInt(tensors.size());
        int entries = out.position();
        out.position(entries + Integer.BYTES * tensors.size());
        int index = 0;
        for (Map.Entry<String, float[]> each : tensors.entrySet()) {
            int fields = out.position();
            for (int number : new int[] {12, 20, 4, 8, 12, 16}) {
                out.putShort((short) number);
            }
            int table = out.position();
            out.putInt(entries + Integer.BYTES * index, table - (entries + Integer.BYTES * index));
            index++;
            out.putInt(table - fields).position(table + 20);
            refer(out, table + 4);
            byte[] name = each.getKey().getBytes(StandardCharsets.UTF_8);
            out.putInt(name.length).put(name).put((byte) 0);
            refer(out, table + 8);
            out.putInt(2);
            for (long extent : shape(each.getKey())) {
                out.putLong(extent);
            }
            out.putInt(table + 12, ElementType.FLOAT.code());
            refer(out, table + 16);
            out.putInt(WORDS * Float.BYTES);
            for (float value : each.getValue()) {
                out.putFloat(value);
            }
        }
        byte[] file = new byte[out.position()];
        out.get(0, file);
        return Files.write(folder.resolve("adapter.onnx_adapter"), file);
    }

    private static void refer(ByteBuffer out, int field) {
        out.putInt(field, out.position() - field);
    }

    @Test
    void bothFormatsGiveTheSameTensors() throws IOException {
        Map<String, float[]> tensors = follow(0, 2);
        for (Path file : List.of(safeTensors(tensors), flat(tensors))) {
            Adapter adapter = Adapter.read(file);
            assertThat(adapter.tensors()).containsOnlyKeys(tensors.keySet());
            adapter.tensors().forEach((name, tensor) -> {
                assertThat(tensor.shape()).isEqualTo(Shape.of(shape(name)));
                assertThat(tensor.floats()).containsExactly(tensors.get(name));
            });
        }
    }

    @Test
    void requestsChooseTheirAdapter() throws IOException {
        try (LanguageModel model = LanguageModel.open(folder);
                LanguageModel one = model.with(Adapter.read(safeTensors(follow(0, 2))));
                LanguageModel other = model.with(Adapter.read(flat(follow(0, 1))))) {
            var options = model.defaults().toBuilder().maxTokens(2).build();
            assertThat(model.generator().run("a", options).text())
                    .as("no adapter")
                    .isEqualTo(" a a");
            assertThat(one.generator().run("a", options).text()).isEqualTo(" c c");
            assertThat(other.generator().run("a", options).text()).isEqualTo(" b b");
            assertThat(model.generator().run("a", options).text()).isEqualTo(" a a");
        }
    }

    @Test
    void anAdapterOfAnotherModelIsRefused() {
        try (LanguageModel model = LanguageModel.open(folder)) {
            assertThatThrownBy(() -> model.with(new Adapter(Map.of("tail.lora_A.weight", Tensor.scalar(1f)))))
                    .isInstanceOf(EngineException.class)
                    .hasMessageContaining("no input 'tail.lora_A.weight'");
            assertThatThrownBy(() -> model.with(new Adapter(Map.of("head.lora_A.weight", Tensor.scalar(1f)))))
                    .isInstanceOf(EngineException.class)
                    .hasMessageContaining("head.lora_A.weight");
        }
    }

    @Test
    void damagedFilesAreRefused() throws IOException {
        assertThatThrownBy(() -> Adapter.read(folder.resolve("none.safetensors")))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.NO_SUCH_FILE));
        assertThatThrownBy(() -> Adapter.read(folder.resolve("tokenizer.json")))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("neither an adapter of ONNX Runtime nor safetensors");
        var random = new Random(3);
        Path damaged = folder.resolve("damaged");
        for (Path whole : List.of(safeTensors(follow(0, 2)), flat(follow(0, 2)))) {
            byte[] bytes = Files.readAllBytes(whole);
            for (int i = 0; i < 2000; i++) {
                byte[] changed = Arrays.copyOf(bytes, i % 3 == 0 ? random.nextInt(bytes.length) : bytes.length);
                for (int k = 0; k < i % 4 && changed.length > 0; k++) {
                    changed[random.nextInt(changed.length)] = (byte) random.nextInt();
                }
                Files.write(damaged, changed);
                try {
                    Adapter.read(damaged);
                } catch (EngineException e) {
                    assertThat(e.status()).isEqualTo(Status.INVALID_ARGUMENT);
                }
            }
        }
    }
}
