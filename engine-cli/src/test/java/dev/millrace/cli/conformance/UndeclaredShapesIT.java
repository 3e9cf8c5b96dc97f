package dev.millrace.cli.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.proto.GraphProto;
import dev.millrace.graph.proto.ModelProto;
import dev.millrace.graph.proto.TensorShapeProto;
import dev.millrace.graph.proto.TypeProto;
import dev.millrace.graph.proto.ValueInfoProto;
import dev.millrace.session.Engine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests of the ONNX backend cases with models that declare less: the rank of each value alone,
 * or only its element type.
 */
@Tag("shared")
@Tag("slow")
class UndeclaredShapesIT {
    private static final Path DATA = Path.of("..", "..", "shared", "onnx-data");
    private static final List<String> SUITES = List.of("node", "simple", "pytorch-converted", "pytorch-operator");

    @TempDir
    private Path folder;

    /** The two amounts that are declared. */
    enum Declared {
        RANKS(UndeclaredShapesIT::open),
        NOTHING((type, name) -> type.getTensorTypeBuilder().clearShape());

        private final BiConsumer<TypeProto.Builder, String> change;

        Declared(BiConsumer<TypeProto.Builder, String> change) {
            this.change = change;
        }
    }

    @ParameterizedTest
    @CsvSource({"all,true,RANKS", "all,true,NOTHING", "cpu,false,RANKS", "cpu,false,NOTHING"})
    void casesThatPassWithTheirShapesPassWithoutThem(String provider, boolean optimise, Declared declared)
            throws IOException {
        Assumptions.assumeTrue(Files.isDirectory(DATA), "the ONNX backend cases are not beside this checkout");
        var failed = new ArrayList<String>();
        int tried = 0;
        int passed = 0;
        try (Engine engine = Engine.create()) {
            var runner = Runners.of(engine, provider, optimise);
            for (BackendCase test :
                    ShareOfCases.below(SUITES.stream().map(DATA::resolve).toList())) {
                tried++;
                CaseResult result = runner.run(changed(test, declared));
                if (result.status() == CaseResult.Status.PASSED) {
                    passed++;
                } else if (runner.run(test).status() == CaseResult.Status.PASSED) {
                    failed.add(test.suite() + "/" + test.name() + ": " + result.message());
                }
            }
        }
        System.out.printf(
                "provider %s, optimised %s, declared %s: %d cases pass%n", provider, optimise, declared, passed);
        assertThat(failed).isEmpty();
        assertThat(passed).as("of %d cases", tried).isGreaterThan(tried * 3 / 4);
    }

    /** Returns a copy of the case whose model declares less. */
    private BackendCase changed(BackendCase test, Declared declared) throws IOException {
        Path changed = Files.createDirectories(folder.resolve(test.suite()).resolve(test.name()));
        var model = ModelProto.parseFrom(Files.readAllBytes(test.model())).toBuilder();
        GraphProto.Builder graph = model.getGraphBuilder();
        graph.clearValueInfo();
        graph.getInputBuilderList().forEach(value -> change(value, declared));
        graph.getOutputBuilderList().forEach(value -> change(value, declared));
        Files.write(changed.resolve("model.onnx"), model.build().toByteArray());
        for (Path data : test.dataSets()) {
            Path copies = Files.createDirectories(changed.resolve(data.getFileName()));
            try (var files = Files.list(data)) {
                for (Path file : files.toList()) {
                    Files.copy(file, copies.resolve(file.getFileName()));
                }
            }
        }
        return new BackendCase(test.suite(), test.name(), changed);
    }

    private static void change(ValueInfoProto.Builder value, Declared declared) {
        change(value.getTypeBuilder(), value.getName(), declared);
    }

    private static void change(TypeProto.Builder type, String name, Declared declared) {
        if (type.hasSequenceType()) {
            change(type.getSequenceTypeBuilder().getElemTypeBuilder(), name, declared);
        } else if (type.hasOptionalType()) {
            change(type.getOptionalTypeBuilder().getElemTypeBuilder(), name, declared);
        } else if (type.hasTensorType()) {
            declared.change.accept(type, name);
        }
    }

    private static void open(TypeProto.Builder type, String name) {
        TensorShapeProto.Builder shape = type.getTensorTypeBuilder().getShapeBuilder();
        for (int i = 0; i < shape.getDimCount(); i++) {
            shape.getDimBuilder(i).setDimParam(name + "_" + i);
        }
    }
}
