package dev.millrace.bench.structure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.providers.testkit.OwnJvm;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.constant.ClassDesc;
import java.lang.reflect.Method;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that the classes that {@code build-tools/PlainCalls.java} rewrites do the same as before. */
class PlainCallsTest {
    private static final Duration LONGEST = Duration.ofMinutes(2);

    /** The bootstrap methods of lambdas, record methods and switches over types. */
    private static final String LAMBDA = "LambdaMetafactory.metafactory";

    private static final String RECORD = "ObjectMethods.bootstrap";
    private static final String TYPES = "SwitchBootstraps.typeSwitch";

    private static SampleClasses before;
    private static SampleClasses after;
    private static URLClassLoader loaderBefore;
    private static URLClassLoader loaderAfter;

    @BeforeAll
    static void rewrite(@TempDir Path root) throws IOException, InterruptedException {
        before = SampleClasses.compile("samples", root.resolve("before"));
        after = before.copyTo(root.resolve("after"));
        plainCalls(after);
        loaderBefore = before.loader();
        loaderAfter = after.loader();
    }

    @AfterAll
    static void close() throws IOException {
        loaderBefore.close();
        loaderAfter.close();
    }

    /** Runs the tool as the build does. */
    private static void plainCalls(SampleClasses classes) throws IOException, InterruptedException {
        String output = new OwnJvm("../build-tools/PlainCalls.java", classes.folder(), "")
                .options("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
                .within(LONGEST)
                .output();
        assertThat(output).isEmpty();
    }

    /** Returns the sample methods: those without parameters that return an object. */
    static Stream<Named<Method>> samples() throws ReflectiveOperationException {
        Stream.Builder<Named<Method>> samples = Stream.builder();
        for (String name :
                new String[] {"Captures", "References", "Places", "Records", "Switches", "LeftAlone", "Traces"}) {
            Arrays.stream(Class.forName("samples." + name, true, loaderBefore).getDeclaredMethods())
                    .filter(each -> each.getReturnType() == Object.class && each.getParameterCount() == 0)
                    .filter(each -> !each.isSynthetic())
                    .sorted(Comparator.comparing(Method::getName))
                    .forEach(each -> samples.add(Named.of(name + "." + each.getName(), each)));
        }
        return samples.build();
    }

    @ParameterizedTest
    @MethodSource("samples")
    void aRewrittenMethodDoesTheSame(Method sample) throws ReflectiveOperationException {
        Method rewritten = Class.forName(sample.getDeclaringClass().getName(), true, loaderAfter)
                .getDeclaredMethod(sample.getName());
        assertThat(result(rewritten)).isEqualTo(result(sample));
    }

    private static String result(Method sample) throws ReflectiveOperationException {
        sample.setAccessible(true);
        return String.valueOf(sample.invoke(null));
    }

    @Test
    void stackTracesOfSamplesHaveLines() throws ReflectiveOperationException {
        Class<?> traces = Class.forName("samples.Traces", true, loaderAfter);
        assertThat(result(traces.getDeclaredMethod("lambdas"))).matches(".*lambda\\$lambdas\\$\\d:\\d+.*trace:\\d+.*");
    }

    @Test
    void everyRewrittenClassPassesTheVerifier() throws IOException, ClassNotFoundException {
        for (String file : after.files().keySet()) {
            String name = file.replaceFirst("\\.class$", "").replaceAll("[/\\\\]", ".");
            assertThat(Class.forName(name, true, loaderAfter)).isNotNull();
        }
    }

    @Test
    void onlyWhatTheToolDoesNotPromiseIsLeftToTheJvm() throws IOException {
        Map<String, Integer> found = dynamic(before);
        assertThat(found).containsKeys(LAMBDA, RECORD, TYPES);
        Map<String, Integer> left = new TreeMap<>(found);
        left.keySet().removeAll(List.of(LAMBDA, RECORD, TYPES));
        assertThat(dynamic(after)).isEqualTo(left);
        assertThat(left)
                .containsOnlyKeys(
                        "LambdaMetafactory.altMetafactory",
                        "SwitchBootstraps.enumSwitch",
                        "StringConcatFactory.makeConcatWithConstants",
                        TYPES + " with constants");
    }

    /** Counts the {@code invokedynamic} instructions by their bootstrap methods. */
    private static Map<String, Integer> dynamic(SampleClasses classes) throws IOException {
        var counts = new TreeMap<String, Integer>();
        for (byte[] bytes : classes.files().values()) {
            ClassModel model = ClassFile.of().parse(bytes);
            model.methods().stream()
                    .flatMap(each -> each.code().stream())
                    .flatMap(each -> each.elementStream())
                    .filter(InvokeDynamicInstruction.class::isInstance)
                    .map(each -> kind((InvokeDynamicInstruction) each))
                    .forEach(kind -> counts.merge(kind, 1, Integer::sum));
        }
        return counts;
    }

    private static String kind(InvokeDynamicInstruction dynamic) {
        String name = dynamic.bootstrapMethod().owner().displayName() + "."
                + dynamic.bootstrapMethod().methodName();
        boolean hasConstants =
                name.equals(TYPES) && !dynamic.bootstrapArgs().stream().allMatch(ClassDesc.class::isInstance);
        return hasConstants ? name + " with constants" : name;
    }

    @Test
    void aClassWithoutSuchInstructionsKeepsItsBytes() throws IOException {
        String file = Path.of("samples", "other", "Hidden.class").toString();
        assertThat(after.files().get(file)).isEqualTo(before.files().get(file));
    }

    @Test
    void aSecondRunChangesNothingAndAnotherFirstRunGivesTheSameBytes(@TempDir Path root)
            throws IOException, InterruptedException {
        SampleClasses again = after.copyTo(root.resolve("again"));
        plainCalls(again);
        assertSame(again, after);
        SampleClasses repeated = before.copyTo(root.resolve("repeated"));
        plainCalls(repeated);
        assertSame(repeated, after);
    }

    private static void assertSame(SampleClasses actual, SampleClasses expected) throws IOException {
        Map<String, byte[]> files = expected.files();
        assertThat(actual.files())
                .hasSameSizeAs(files)
                .allSatisfy((name, bytes) -> assertThat(bytes).as(name).isEqualTo(files.get(name)));
    }
}
