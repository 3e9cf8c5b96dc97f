package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the page that draws the graph of a model, and what it asks for. */
class GraphPageTest {
    private static final String HOSTILE = "<img src=x onerror=document.title=1>";

    @TempDir
    static Path folder;

    @TempDir
    Path profile;

    @AutoClose
    private static RestClient client;

    @BeforeAll
    static void start() {
        new TestRepository(folder)
                .version("plus", 1, ServerModels.plus(1, 1))
                .version("loop", 1, ServerModels.loop())
                .version("long", 1, ServerModels.chain(5200))
                .version(HOSTILE, 1, ServerModels.plus(1, 2))
                .write("pack/1/any/net.onnx", ServerModels.plus(1, 1))
                .write("pack/1/manifest.json", """
                    {"schema_version": "1.0", "components": {"net": {"variants": {"any": {
                      "variant_directory": "any", "executor_info": {"ort": {"model_file": "net.onnx"}}}}}}}\
                    """.getBytes(StandardCharsets.UTF_8))
                .config("both", """
                    platform: "ensemble"
                    input { name: "x" data_type: TYPE_FP32 dims: [1, 1] }
                    output { name: "z" data_type: TYPE_FP32 dims: [1, 1] }
                    ensemble_scheduling {
                      step { model_name: "plus" input_map { key: "x" value: "x" } output_map { key: "y" value: "z" } }
                    }
                    """);
        client = RestClient.ofOwnServer(folder);
    }

    @Test
    void aModelIsDescribedByItsFileAndItsSession() {
        Json loop = Json.read(client.get("ui/graph/loop/1").body());
        assertThat(loop.at("title").text()).isEqualTo("loop · version 1");
        assertThat(loop.at("file").text()).isEqualTo("model.onnx");
        assertThat(loop.at("partitions").each().map(each -> each.at("provider").text()))
                .isNotEmpty()
                .isSubsetOf("cpu", "simd");
        Json outer = loop.at("graph").at("nodes").each().findFirst().orElseThrow();
        assertThat(outer.at("op").text()).isEqualTo("Loop");
        assertThat(outer.at("graphs").at("body").at("nodes").each()).hasSize(2);
        assertThat(loop.at("cut").value()).isNull();
    }

    @Test
    void aLargeModelIsCutAndSaysSo() {
        Json large = Json.read(client.get("ui/graph/long/1").body());
        assertThat(large.at("nodes").number()).isEqualTo(5200);
        assertThat(large.at("graph").at("nodes").each()).hasSize(5000);
        assertThat(large.at("cut").text()).contains("5200 nodes", "first 5000");
    }

    @Test
    void aPackageIsDescribedByTheVariantThatRuns() {
        Json pack = Json.read(client.get("ui/graph/pack/1").body());
        assertThat(pack.at("file").text()).isEqualTo("net.onnx");
        assertThat(pack.at("graph").at("nodes").each().map(each -> each.at("op").text()))
                .containsExactly("Add");
    }

    @Test
    void modelsWithoutAGraphAreRefused() {
        var ensemble = client.get("ui/graph/both/1");
        assertThat(ensemble.status()).isEqualTo(501);
        assertThat(ensemble.body()).contains("'both' is an ensemble, whose graph");
        assertThat(client.get("ui/graph/gone/1").status()).isEqualTo(404);
        assertThat(client.get("ui/graph/plus/7").status()).isEqualTo(404);
    }

    @Test
    void thePageNeedsNoTokenAndTheGraphDoes() {
        var options = TestServers.options(folder)
                .control(ControlMode.EXPLICIT)
                .loaded("plus")
                .token("secret")
                .build();
        try (var closed = ModelServer.start(options);
                var other = new RestClient(closed)) {
            var page = other.get("ui/graph");
            assertThat(page.status()).isEqualTo(200);
            assertThat(page.headers().firstValue("Content-Security-Policy").orElseThrow())
                    .contains("default-src 'none'")
                    .doesNotContain("unsafe");
            assertThat(page.body()).doesNotContain("src=", "href=", "style=", "onclick=", "/*BEGIN*/", "<!--DATA-->");
            assertThat(other.get("ui/graph/plus/1").status()).isEqualTo(401);
        }
    }

    private static void open(Browser browser, String model) throws Exception {
        String name = URLEncoder.encode(model, StandardCharsets.UTF_8);
        browser.open(client.uri("ui/graph?model=" + name + "&version=1"));
        browser.await("document.querySelector('#title')?.textContent.includes('version 1')");
    }

    @Test
    void aBrowserDrawsTheGraphWithItsPartitions() throws Exception {
        try (var browser = Browser.start(profile)) {
            browser.open(client.uri("ui#model=loop&version=1"));
            browser.await("document.querySelector('#toGraph')?.href && !document.querySelector('#toGraph').hidden");
            browser.evaluate("document.querySelector('#toGraph').click()");
            browser.await("document.querySelectorAll('#canvas g.box').length >= 4");
            assertThat(browser.evaluate("document.querySelector('#canvas').textContent"))
                    .contains("Loop", "Add");
            assertThat(browser.evaluate("document.querySelector('#legend').textContent"))
                    .contains(" in 1 partition");
            browser.evaluate("[...document.querySelectorAll('#tabs button')]"
                    + ".find(each => each.textContent === 'Engine').click()");
            assertThat(browser.evaluate("document.querySelector('#tables').innerText"))
                    .contains("Partitions", "Loop");
            open(browser, HOSTILE);
            assertThat(browser.evaluate("document.querySelector('#title').textContent"))
                    .isEqualTo(HOSTILE + " · version 1");
            assertThat(browser.evaluate("document.images.length")).isEqualTo("0");
            assertThat(browser.evaluate("document.title")).isEqualTo(HOSTILE + " · version 1");
            browser.evaluate("document.querySelector('header a').click()");
            browser.await("document.querySelector('#name')?.textContent.startsWith('" + HOSTILE + " ')");
            assertThat(browser.complaints()).isEmpty();
        }
    }

    @Test
    void aBrowserDrawsALargeModelInParts() throws Exception {
        try (var browser = Browser.start(profile)) {
            open(browser, "long");
            browser.await("document.querySelectorAll('#canvas g.box').length > 2");
            assertThat(Integer.parseInt(browser.evaluate("document.querySelectorAll('#canvas g.box').length")))
                    .isLessThan(400);
            assertThat(browser.evaluate("document.querySelector('#canvas').textContent"))
                    .contains("1 to 60 of");
            assertThat(browser.evaluate("document.querySelector('#legend .cut').textContent"))
                    .contains("the first 5000 are drawn");
            browser.evaluate("document.querySelector('#canvas g.group').dispatchEvent(new MouseEvent('click'))");
            browser.await("document.querySelectorAll('#canvas g.math, #canvas g.activation').length >= 59");
            assertThat(browser.complaints()).isEmpty();
        }
    }
}
