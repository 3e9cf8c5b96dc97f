package dev.millrace.epcontext;

import static dev.millrace.epcontext.Fixtures.writer;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Node;
import dev.millrace.providers.spi.EpContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Context nodes for which nothing is found. */
class ContextNodeRefusalTest extends ContextNodes {
    @Test
    void whatAnotherProviderCompiledIsRefused() {
        Map<String, Attribute> attributes = embedded("a", writer("a").toBytes());
        attributes.put(EpContext.SOURCE, Attribute.of("other"));

        assertInvalid(() -> resolver().resolve(add(attributes)), "compiled by 'fast'", "'other'");
    }

    @ParameterizedTest
    @CsvSource({
        "'', is empty",
        "../x.bin, escapes model directory",
        "/x.bin, is absolute",
        "sub/, must refer to a file",
        "gone.bin, does not exist"
    })
    void pathsThatDoNotStayInTheModelsFolderAreRefused(String name, String reason) {
        Node node = add(file("a", name));

        assertInvalid(() -> resolver().resolve(node), "com.microsoft.EPContext 'node0'", reason);
    }

    @Test
    void aDeletedBinaryIsNamed() throws Exception {
        Path binary = folder.resolve("m_fast.bin");
        writer("a").write(binary);
        Node node = add(file("a", "m_fast.bin"));
        Files.delete(binary);

        assertInvalid(() -> resolver().resolve(node), "node0", binary.toString(), "does not exist");
    }

    @Test
    void aBrokenBinaryIsNamed() throws Exception {
        Files.write(folder.resolve("m_fast.bin"), new byte[100]);

        assertInvalid(() -> resolver().resolve(add(file("a", "m_fast.bin"))), "node0", "m_fast.bin", "is refused");
        assertInvalid(() -> resolver().resolve(add(embedded("a", new byte[0]))), "node1", "is refused");
    }

    @ParameterizedTest
    @ValueSource(longs = {2, -1, Long.MAX_VALUE})
    void modesOtherThanZeroAndOneAreRefused(long mode) {
        Map<String, Attribute> embed = embedded("a", writer("a").toBytes());
        embed.put(EpContext.EMBED_MODE, Attribute.of(mode));
        assertInvalid(() -> resolver().resolve(add(embed)), "node0", "embed_mode", Long.toString(mode));

        Map<String, Attribute> main = embedded("a", writer("a").toBytes());
        main.put(EpContext.MAIN_CONTEXT, Attribute.of(mode));
        add(main);
        assertInvalid(this::resolver, "node1", "main_context", Long.toString(mode));
    }

    @Test
    void aMissingOrMisplacedPayloadIsRefused() {
        assertInvalid(() -> resolver().resolve(add(attributes("a"))), "node0", "ep_cache_context", "is missing");
        Map<String, Attribute> number = attributes("a");
        number.put(EpContext.CACHE_CONTEXT, Attribute.of(5));
        assertInvalid(() -> resolver().resolve(add(number)), "node1", "ep_cache_context", "is no string");
    }
}
