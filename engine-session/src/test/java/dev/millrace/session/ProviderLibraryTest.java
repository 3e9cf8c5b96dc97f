package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.codegen.testing.TestScale;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.graph.optimise.pass.Level;
import java.io.File;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests libraries of providers, which an engine loads from jars that are not on the class path. */
@Timeout(300)
class ProviderLibraryTest {
    private static final int ROUNDS = TestScale.count("millrace.libraries.rounds", 20);

    /** A provider that doubles where the model says Relu; asked for by its options, it throws. */
    private static final String SOURCE = """
                package stranger;

                import dev.millrace.graph.infer.Facts;
                import dev.millrace.graph.ir.Graph;
                import dev.millrace.graph.ir.Node;
                import dev.millrace.graph.ir.ValueType;
                import dev.millrace.providers.spi.CapabilitySink;
                import dev.millrace.providers.spi.ExecutionProvider;
                import dev.millrace.providers.spi.HardwareDevice;
                import dev.millrace.providers.spi.ProviderDevice;
                import dev.millrace.providers.spi.ProviderFactory;
                import dev.millrace.providers.spi.ProviderOptions;
                import dev.millrace.scheduler.device.DeviceType;
                import dev.millrace.scheduler.device.MemoryKind;
                import dev.millrace.scheduler.kernel.BindContext;
                import dev.millrace.scheduler.kernel.KernelFactory;
                import dev.millrace.scheduler.kernel.Launch;
                import dev.millrace.scheduler.kernel.ShapedKernel;
                import java.lang.foreign.ValueLayout;
                import java.lang.ref.WeakReference;
                import java.util.List;
                import java.util.Map;
        import java.util.Objects;

                public final class StrangerFactory implements ProviderFactory {
                    public static final class Oddity extends RuntimeException {
                        public Oddity(String text) {
                            super(text);
                        }
                    }

                    public StrangerFactory() {
                        System.getProperties()
                                .put("stranger.loader", new WeakReference<>(StrangerFactory.class.getClassLoader()));
                    }

                    public String name() {
                        return "NAME";
                    }

                    public String vendor() {
                        return "stranger";
                    }

                    public String version() {
                        return "1.0.0";
                    }

                    public List<ProviderDevice> devices(List<HardwareDevice> hardware) {
                        return ProviderDevice.processors(name(), version(), hardware);
                    }

                    public List<ProviderDevice> virtualDevices() {
                        var absent = new HardwareDevice(
                                DeviceType.NPU, 7, "stranger", 1, Map.of(HardwareDevice.VIRTUAL, "1"));
                        return List.of(new ProviderDevice(
                                name(), absent, Map.of(), Map.of(), List.of(MemoryKind.DEFAULT)));
                    }

                    public ExecutionProvider create(List<ProviderDevice> devices, ProviderOptions options) {
                        String fault = options.values().getOrDefault("fault", "");
                        if (fault.equals("create")) {
                            throw new Oddity("cannot look");
                        }
                        return new ExecutionProvider() {
                            public String name() {
                                return "NAME";
                            }

                            public void claim(Graph graph, CapabilitySink sink) {
                                for (Node node : graph.nodes()) {
                                    if (node.op().name().equals("Relu")) {
                                        sink.single(node);
                                    }
                                }
                            }

                            public KernelFactory kernels() {
                                return node -> node.op().name().equals("Relu") ? new Doubling(fault) : null;
                            }
                        };
                    }

                    private record Doubling(String fault) implements ShapedKernel {
                        public List<ValueType> outputs(Node node, Facts facts) {
                            return List.of(facts.type(0));
                        }

                        public Launch bind(BindContext context) {
                            return run -> {
                                if (fault.equals("run")) {
                                    throw new Oddity("cannot run");
                                }
                                for (long at = 0; at < run.input(0).byteSize(); at += 4) {
                                    float value = run.input(0).get(ValueLayout.JAVA_FLOAT, at);
                                    run.output(0).set(ValueLayout.JAVA_FLOAT, at, 2 * value);
                                }
                            };
                        }
                    }
                }
        """;

    @TempDir
    private static Path folder = Path.of("");

    private static Path stranger = Path.of("");

    @BeforeAll
    static void compile() throws IOException {
        stranger = library("stranger", "doubling");
    }

    /** Compiles the source with a name of its own into a jar. */
    private static Path library(String file, String provider) throws IOException {
        Path place = Files.createDirectories(folder.resolve(file));
        Path source = Files.createDirectories(place.resolve("stranger")).resolve("StrangerFactory.java");
        Files.writeString(source, SOURCE.replace("NAME", provider));
        int code = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-proc:none", "-cp", classPath(), "-d", place.toString(), source.toString());
        assertThat(code).isZero();
        Path jar = folder.resolve(file + ".jar");
        try (var out = new JarOutputStream(Files.newOutputStream(jar));
                Stream<Path> classes = Files.list(place.resolve("stranger"))) {
            for (Path each :
                    classes.filter(path -> path.toString().endsWith(".class")).toList()) {
                out.putNextEntry(new JarEntry("stranger/" + each.getFileName()));
                Files.copy(each, out);
            }
            out.putNextEntry(new JarEntry("META-INF/services/dev.millrace.providers.spi.ProviderFactory"));
            out.write("stranger.StrangerFactory\n".getBytes(StandardCharsets.UTF_8));
        }
        return jar;
    }

    private static String classPath() {
        String path = System.getProperty("java.class.path", "");
        String modules = System.getProperty("jdk.module.path", "");
        return modules.isEmpty() ? path : path + File.pathSeparator + modules;
    }

    private static Session session(Engine engine, String fault) {
        return engine.session(
                TestModels.perceptron(1, 2, 1),
                SessionOptions.builder()
                        .optimiser(Optimiser.Options.builder()
                                .level(Level.DISABLED)
                                .build())
                        .provider("doubling", Map.of("fault", fault))
                        .provider("cpu")
                        .build());
    }

    private static float[] answer(Session session) {
        return TestModels.answer(session, 2);
    }

    @Test
    void aSessionNamesAProviderOfALibrary() {
        try (Engine engine = Engine.create()) {
            assertThat(engine.registerProviderLibrary("mine", stranger)).containsExactly("doubling");
            assertThat(engine.providers()).doesNotContain("doubling");
            assertThat(engine.devices()).anyMatch(device -> device.provider().equals("doubling"));
            try (Session plain = engine.session(TestModels.perceptron(1, 2, 1), SessionOptions.defaults());
                    Session session = session(engine, "")) {
                assertThat(plain.label().providers()).doesNotContain("doubling");
                assertThat(session.label().providers()).contains("doubling");
                assertThat(answer(session)).isNotEqualTo(answer(plain));
            }
        }
    }

    @Test
    void aLibraryWhoseNameEndsInVirtualOffersDevicesThatAreNotPresent() {
        try (Engine engine = Engine.create()) {
            engine.registerProviderLibrary("mine", stranger);
            assertThat(engine.devices()).noneMatch(device -> device.hardware().isVirtual());
            engine.unregisterProviderLibrary("mine");
            engine.registerProviderLibrary("mine.virtual", stranger);
            assertThat(engine.devices()).anyMatch(device -> device.hardware().isVirtual());
        }
    }

    @Test
    void aLibraryInUseIsNotUnregistered() {
        try (Engine engine = Engine.create()) {
            engine.registerProviderLibrary("mine", stranger);
            try (Session session = session(engine, "")) {
                assertThatThrownBy(() -> engine.unregisterProviderLibrary("mine"))
                        .hasMessageContaining("'mine' is in use by 1 model; close");
                answer(session);
            }
            engine.unregisterProviderLibrary("mine");
            assertThatThrownBy(() -> session(engine, "")).hasMessageContaining("there is no provider 'doubling'");
            assertThatThrownBy(() -> engine.unregisterProviderLibrary("mine"))
                    .isInstanceOfSatisfying(
                            EngineException.class,
                            failure -> assertThat(failure.status()).isEqualTo(Status.NOT_FOUND));
        }
    }

    @Test
    void namesThatCollideAreRefused() throws IOException {
        Path second = library("second", "doubling");
        Path cpu = library("third", "cpu");
        try (Engine engine = Engine.create()) {
            engine.registerProviderLibrary("mine", stranger);
            assertThatThrownBy(() -> engine.registerProviderLibrary("mine", second))
                    .hasMessageContaining("'mine' is registered already");
            assertThatThrownBy(() -> engine.registerProviderLibrary("other", second))
                    .hasMessageContaining("a provider 'doubling', and the engine has one of that name");
            assertThatThrownBy(() -> engine.registerProviderLibrary("other", cpu))
                    .hasMessageContaining("a provider 'cpu'");
        }
    }

    @Test
    void whatIsNoLibraryIsRefused() throws IOException {
        Path text = Files.writeString(folder.resolve("text.jar"), "no jar");
        Path empty = Files.createDirectories(folder.resolve("empty"));
        try (Engine engine = Engine.create()) {
            assertThatThrownBy(() -> engine.registerProviderLibrary("mine", folder.resolve("gone.jar")))
                    .hasMessageContaining("there is no file or folder");
            assertThatThrownBy(() -> engine.registerProviderLibrary("mine", text))
                    .isInstanceOf(EngineException.class);
            assertThatThrownBy(() -> engine.registerProviderLibrary("mine", empty))
                    .hasMessageContaining("'mine' has no provider");
        }
    }

    /** Failures of a library's code are held on purpose: they must not keep its classes. */
    @Test
    void aLibraryIsUnloadedWhenItIsUnregistered() throws InterruptedException {
        var held = new ArrayList<Throwable>();
        try (Engine engine = Engine.create()) {
            for (int round = 0; round < ROUNDS; round++) {
                WeakReference<ClassLoader> loader = used(engine, held);
                engine.unregisterProviderLibrary("mine");
                for (int i = 0; i < 100 && loader.get() != null; i++) {
                    System.gc();
                    Thread.sleep(10);
                }
                assertThat(loader.get()).isNull();
            }
        }
        assertThat(held)
                .hasSize(2 * ROUNDS)
                .allSatisfy(failure -> assertThat(failure)
                        .hasMessageContaining("cannot ")
                        .hasRootCauseMessage("stranger.StrangerFactory$Oddity: "
                                + (String.valueOf(failure.getMessage()).contains("look")
                                        ? "cannot look"
                                        : "cannot run")));
    }

    private static WeakReference<ClassLoader> used(Engine engine, List<Throwable> failures) {
        engine.registerProviderLibrary("mine", stranger);
        WeakReference<ClassLoader> loader = loader();
        try (Session session = session(engine, "")) {
            answer(session);
        }
        failures.add(failure(() -> session(engine, "create").close()));
        try (Session session = session(engine, "run")) {
            failures.add(failure(() -> answer(session)));
        }
        return loader;
    }

    private static Throwable failure(Runnable call) {
        try {
            call.run();
        } catch (EngineException e) {
            return e;
        }
        throw new AssertionError("it went well");
    }

    /** The class loader of the library, which its factory leaves in a property of the system. */
    @SuppressWarnings("unchecked")
    private static WeakReference<ClassLoader> loader() {
        return (WeakReference<ClassLoader>)
                Objects.requireNonNull(System.getProperties().remove("stranger.loader"));
    }
}
