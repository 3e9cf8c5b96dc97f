package dev.millrace.djl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.djl.Device;
import ai.djl.Model;
import ai.djl.engine.Engine;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.Shape;
import ai.djl.training.ParameterStore;
import dev.millrace.graph.EngineException;
import dev.millrace.providers.testkit.OwnJvm;
import java.io.FileNotFoundException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the engine and its models as DJL finds them. */
class EngineTest {
    @TempDir
    private Path folder = Path.of("");

    /** Prints the engine that answers for ONNX Runtime, and the default engine. */
    public static final class Names {
        public static void main(String[] arguments) {
            System.out.print(Engine.getEngine("OnnxRuntime").getEngineName() + " "
                    + Engine.getInstance().getEngineName() + " "
                    + Engine.getInstance().getRank());
        }
    }

    @Test
    void djlFindsTheEngine() {
        Engine engine = Engine.getEngine("Millrace");
        assertThat(engine.getEngineName()).isEqualTo("Millrace");
        assertThat(engine.getRank()).isEqualTo(9);
        assertThat(engine.getGpuCount()).isZero();
        assertThat(engine.defaultDevice()).isEqualTo(Device.cpu());
        assertThat(Engine.hasEngine("OnnxRuntime")).isFalse();
    }

    @Test
    void propertiesSetRankAndName() throws Exception {
        String said = new OwnJvm(Names.class)
                .options(
                        "-D" + OnnxRuntimeNameProvider.PROPERTY + "=true",
                        "-D" + MillraceEngineProvider.RANK + "=3",
                        "-XX:TieredStopAtLevel=1")
                .within(Duration.ofMinutes(1))
                .output();
        assertThat(said).endsWith("Millrace Millrace 3");
    }

    @Test
    void aFileOfAFolderIsFound() throws Exception {
        MadeModels.words(folder.resolve("words.onnx"));
        for (String prefix : new String[] {"words", "words.onnx", "other"}) {
            try (Model model = Model.newInstance("net", "Millrace")) {
                model.load(folder, prefix);
                assertThat(model.getBlock().describeInput().keys()).containsExactly("input_ids", "attention_mask");
                assertThat(model.getBlock().describeInput().get("input_ids")).isEqualTo(new Shape(-1, -1));
            }
        }
        try (Model model = Model.newInstance("net", "Millrace")) {
            model.load(Files.newInputStream(folder.resolve("words.onnx")));
            assertThat(model.describeOutput().keys()).containsExactly("last_hidden_state", "seen");
        }
        MadeModels.words(folder.resolve("second.onnx"));
        try (Model model = Model.newInstance("net", "Millrace")) {
            assertThatThrownBy(() -> model.load(folder))
                    .isInstanceOf(FileNotFoundException.class)
                    .hasMessageContaining("more than one ONNX file");
        }
    }

    @Test
    void optionsReachTheSession() throws Exception {
        MadeModels.words(folder.resolve("words.onnx"));
        try (Model model = Model.newInstance("words", "Millrace")) {
            model.load(
                    folder, null, Map.of("intraOpNumThreads", "1", "executionMode", "PARALLEL", "millrace.threads", 1));
            assertThat(model.getBlock()).isNotNull();
        }
        try (Model model = Model.newInstance("words", "Millrace")) {
            assertThatThrownBy(() -> model.load(folder, null, Map.of("millrace.thread", 1)))
                    .isInstanceOf(EngineException.class)
                    .hasMessageContaining("thread");
        }
    }

    @Test
    void arraysGoToInputsByNameOrInOrder() throws Exception {
        MadeModels.words(folder.resolve("words.onnx"));
        try (Model model = Model.newInstance("words", "Millrace");
                NDManager manager = NDManager.newBaseManager("Millrace")) {
            model.load(folder);
            var ids = manager.create(new long[][] {{1, 2}});
            var mask = manager.create(new long[][] {{1, 0}});
            var store = new ParameterStore(manager, false);
            NDList inOrder = model.getBlock().forward(store, new NDList(ids, mask), false);
            ids.setName("input_ids");
            mask.setName("attention_mask");
            NDList named = model.getBlock().forward(store, new NDList(mask, ids), false);
            assertThat(inOrder.get("seen").toLongArray()).containsExactly(1, 0);
            assertThat(named.get("seen").toLongArray()).containsExactly(1, 0);
            assertThat(named.get(0).toFloatArray()).isEqualTo(inOrder.get(0).toFloatArray());
            assertThat(inOrder.get(0).getManager()).isSameAs(manager);
        }
    }

    @Test
    void outputsMayBeChangedAndStringsGoThroughModels() throws Exception {
        MadeModels.echo(folder.resolve("echo.onnx"));
        try (Model model = Model.newInstance("echo", "Millrace");
                NDManager manager = NDManager.newBaseManager("Millrace")) {
            model.load(folder);
            var texts = manager.create(new String[] {"one", "two"});
            var numbers = manager.create(new float[] {3, 4});
            var store = new ParameterStore(manager, false);
            for (int i = 0; i < 2; i++) {
                NDList outputs = model.getBlock().forward(store, new NDList(texts, numbers), false);
                assertThat(outputs.get("texts_out").toStringArray()).containsExactly("one", "two");
                assertThat(outputs.get("numbers_out").addi(1).toFloatArray()).containsExactly(4, 5);
                assertThat(outputs.get("weights_out").muli(9).toFloatArray()).containsExactly(9, 18);
                assertThat(numbers.toFloatArray()).as("an input").containsExactly(3, 4);
            }
        }
    }

    @Test
    void arraysMoveToOtherManagers() {
        NDManager manager = NDManager.newBaseManager("Millrace");
        NDManager inner = manager.newSubManager();
        var kept = inner.create(new float[] {1, 2});
        kept.attach(manager);
        var free = inner.create(new float[] {3});
        free.detach();
        var lent = manager.create(new String[] {"one"});
        lent.tempAttach(inner);
        inner.close();
        assertThat(kept.toFloatArray()).containsExactly(1, 2);
        assertThat(kept.add(1).getManager()).isSameAs(manager);
        assertThat(lent.toStringArray()).containsExactly("one");
        assertThat(lent.getManager()).isSameAs(manager);
        manager.close();
        assertThat(kept.isReleased()).isTrue();
        assertThat(lent.isReleased()).isTrue();
        assertThat(free.toFloatArray()).containsExactly(3);
        free.close();
        assertThat(free.isReleased()).isTrue();
    }

    @Test
    void arraysEndWithTheirManager() {
        NDManager manager = NDManager.newBaseManager("Millrace");
        var array = manager.create(new float[] {1, 2});
        manager.close();
        assertThat(array.isReleased()).isTrue();
        assertThatThrownBy(array::toFloatArray).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void runsKeepNoInputsInTheManagerOfTheModel() throws Exception {
        MadeModels.echo(folder.resolve("echo.onnx"));
        try (Model model = Model.newInstance("echo", "Millrace");
                NDManager manager = NDManager.newBaseManager("Millrace")) {
            model.load(folder);
            int before = model.getNDManager().getManagedArrays().size();
            var texts = manager.create(new String[] {"one", "two"});
            var numbers = manager.create(new float[] {3, 4});
            model.getBlock().forward(new ParameterStore(manager, false), new NDList(texts, numbers), false);
            assertThat(model.getNDManager().getManagedArrays()).hasSize(before);
        }
    }

    @Test
    void changesInPlaceLeaveNoArraysBehind() {
        try (NDManager manager = NDManager.newBaseManager("Millrace")) {
            var numbers = manager.create(new float[] {3, 4});
            var whole = manager.create(new int[] {3, 4});
            numbers.addi(1).muli(numbers).negi();
            whole.divi(2).addi(whole);
            assertThat(numbers.toFloatArray()).containsExactly(-16, -25);
            assertThat(whole.toFloatArray()).containsExactly(3, 4);
            assertThat(manager.getManagedArrays()).containsExactlyInAnyOrder(numbers, whole);
        }
    }
}
