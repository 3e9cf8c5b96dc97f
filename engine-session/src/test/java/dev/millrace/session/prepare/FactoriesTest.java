package dev.millrace.session.prepare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.providers.cpu.CpuFactory;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.providers.spi.ProviderFactory;
import dev.millrace.providers.spi.ProviderOptions;
import dev.millrace.providers.spi.SpiVersion;
import dev.millrace.session.TestFactory;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FactoriesTest {
    @Test
    void thoseOfTheClassPathAreFoundAndThePlainOneIsAskedLast() {
        Factories factories = Factories.search(FactoriesTest.class.getClassLoader());

        assertThat(factories.names()).contains("simd").endsWith("cpu");
        factories.close();
    }

    /** A jar into which others were merged, as its builder leaves them: with one of their services files. */
    private static final class Merged extends ClassLoader {
        private static final String SERVICES = "META-INF/services/" + ProviderFactory.class.getName();

        private final @Nullable String kept;

        /** @param kept of whose jar the services file is that was kept; null where none was */
        Merged(@Nullable String kept) {
            super(FactoriesTest.class.getClassLoader());
            this.kept = kept;
        }

        @Override
        public Enumeration<URL> getResources(String name) throws IOException {
            Enumeration<URL> all = super.getResources(name);
            if (!name.equals(SERVICES)) {
                return all;
            }
            return Collections.enumeration(Collections.list(all).stream()
                    .filter(url -> kept != null && url.toString().contains(kept))
                    .toList());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"cpu", "simd", "none"})
    void bothAreFoundInAMergedJarThatKeptOneServicesFile(String kept) {
        var loader = new Merged(kept.equals("none") ? null : kept);
        Factories factories = Factories.search(loader);

        assertThat(ServiceLoader.load(ProviderFactory.class, loader)).hasSize(kept.equals("none") ? 0 : 1);
        assertThat(factories.names()).containsExactly("simd", "cpu");
        factories.close();
    }

    @Test
    void twoOfOneNameAreRefused() {
        assertThatThrownBy(() -> Factories.of(List.of(new CpuFactory(), new CpuFactory())))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("two providers are called 'cpu'");
    }

    @Test
    void aServiceThatCannotBeLoadedIsLeftOutAndNamed(@TempDir Path folder) throws IOException {
        Path services = Files.createDirectories(folder.resolve("META-INF/services"));
        Files.writeString(services.resolve(ProviderFactory.class.getName()), "there.is.no.such.Factory");
        var paths = new URL[] {folder.toUri().toURL()};
        try (var loader = new URLClassLoader(paths, FactoriesTest.class.getClassLoader())) {
            Factories factories = Factories.search(loader);

            assertThat(factories.names()).contains("simd", "cpu");
            assertThat(factories.failures()).singleElement().asString().contains("there.is.no.such.Factory");
            factories.close();
        }
    }

    /** A factory whose end is a failure, unless it is null. */
    private static class Closing extends TestFactory {
        private final @Nullable Error failure;
        private int closed;

        Closing(String name, @Nullable Error failure) {
            super(name);
            this.failure = failure;
        }

        @Override
        public ExecutionProvider create(List<ProviderDevice> devices, ProviderOptions options) {
            throw new IllegalStateException("nobody asks for a provider here");
        }

        @Override
        public void close() {
            closed++;
            if (failure != null) {
                throw failure;
            }
        }
    }

    @Test
    void aProviderForANewerInterfaceIsRefused() {
        var newer = new Closing("newer", null) {
            @Override
            public int spiVersion() {
                return SpiVersion.CURRENT + 1;
            }
        };
        assertThatThrownBy(() -> ProviderSearch.check(newer))
                .isInstanceOf(EngineException.class)
                .hasMessageContainingAll("'newer'", "version 3", "version 2");
    }

    @Test
    void allAreClosedWhateverSomeThrowAndTheFailuresNameThem() {
        var all = List.of(
                new Closing("d", null),
                new Closing("c", new NoClassDefFoundError("Gone")),
                new Closing("b", null),
                new Closing("a", new AssertionError("broken")));
        var factories = Factories.of(List.copyOf(all));

        assertThatThrownBy(factories::close)
                .isInstanceOf(EngineException.class)
                .hasMessageContainingAll("provider 'c'", "Gone")
                .satisfies(thrown -> assertThat(thrown.getSuppressed())
                        .singleElement()
                        .asString()
                        .contains("provider 'a'", "broken"));

        assertThat(all).extracting(each -> each.closed).containsOnly(1);
    }

    @Test
    void whoeverIsInterruptedWaitsAndStaysInterrupted() {
        Factories factories = Factories.search(FactoriesTest.class.getClassLoader());
        Thread.currentThread().interrupt();

        assertThat(factories.names()).isNotEmpty();

        assertThat(Thread.interrupted()).isTrue();
    }
}
