package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.tensor.ElementType;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the page for operators: its state, its headers, and the page in a browser. */
class DashboardTest {
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
                .version("simple", 1, ServerModels.simple(ElementType.INT32))
                .joined()
                .version(HOSTILE, 1, ServerModels.plus(1, 2))
                .version("sum", 1, ServerModels.sum())
                .config("sum", """
                    max_batch_size: 1
                    sequence_batching {
                      control_input { name: "START" control { kind: CONTROL_SEQUENCE_START int32_false_true: [0, 1] } }
                      state { input_name: "STATE_IN" output_name: "STATE_OUT" data_type: TYPE_INT32 dims: [1]
                        initial_state { name: "zero" data_type: TYPE_INT32 dims: [1] zero_data: true } } }\
                    """)
                .version("broken", 1, "no model".getBytes(StandardCharsets.UTF_8));
        client = RestClient.ofOwnServer(folder);
    }

    private static Json state() {
        return Json.read(client.get("ui/state").body());
    }

    private static Json model(String name) {
        return state().at("models")
                .each()
                .filter(each -> each.at("name").text().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Adds up the counts of a histogram, each times its weight. */
    private static long total(Json model, String histogram, ToLongFunction<Json> weight) {
        return model.at(histogram)
                .each()
                .mapToLong(each -> weight.applyAsLong(each) * each.at("count").number())
                .sum();
    }

    @Test
    void theStateHasModelsWithTheirCountsAndMemory() {
        int sent = 0;
        for (int round = 0; round < 100 && !model("joined").at("batches").text().contains("size=2"); round++) {
            client.postAtOnce(50, "v2/models/joined/infer", TestRequests.row("x", 1));
            sent += 50;
        }
        client.post("v2/models/joined/infer", "{\"inputs\": []}");

        Json joined = model("joined");
        // the engine reports a run after its answers
        for (int i = 0; i < 1000 && answered(joined) < sent; i++) {
            joined = model("joined");
        }
        assertThat(joined.at("state").text()).isEqualTo("READY");
        assertThat(joined.at("requests").text()).isEqualTo(Integer.toString(sent));
        assertThat(joined.at("failures").text()).isEqualTo("1");
        assertThat(total(joined, "latency", _ -> 1)).isEqualTo(sent);
        assertThat(joined.at("batches").text()).contains("size=2");
        assertThat(answered(joined)).isEqualTo(sent);
        assertThat(joined.at("runs").text()).isEqualTo(Long.toString(total(joined, "batches", _ -> 1)));
        assertThat(joined.at("metadata").at("inputs").text()).isEqualTo("[{name=x, datatype=FP32, shape=[-1, 1]}]");
        assertThat(state().at("memory").at("weights").number())
                .isGreaterThanOrEqualTo(model("sum").at("weights").number());
        assertThat(state().at("devices").text()).isEqualTo("[]");
    }

    /** The requests that the model's runs have answered. */
    private static long answered(Json model) {
        return total(model, "batches", each -> each.at("size").number());
    }

    @Test
    void aModelThatIsNotServedHasItsReason() {
        Json broken = model("broken");
        assertThat(broken.at("state").text()).isEqualTo("UNAVAILABLE");
        assertThat(broken.at("reason").text()).isNotEmpty();
        assertThat(broken.at("metadata").value()).isNull();
        assertThat(state().at("ready").value()).isEqualTo(false);
    }

    @Test
    void thePageIsBoundToItsOwnScriptAndServer() throws Exception {
        var root = client.get("");
        assertThat(root.status()).isEqualTo(302);
        assertThat(root.headers().firstValue("Location")).hasValue("ui");
        var page = client.get("ui");
        assertThat(page.status()).isEqualTo(200);
        assertThat(page.body()).doesNotContain("src=", "href=", "/*SCRIPT*/", "/*STYLE*/", "style=", "onclick=");
        String policy = page.headers().firstValue("Content-Security-Policy").orElseThrow();
        assertThat(policy)
                .contains("default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'")
                .contains("script-src '" + digest(page.body(), "script") + "'")
                .contains("style-src '" + digest(page.body(), "style") + "'")
                .doesNotContain("unsafe");
        assertThat(page.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
        assertThat(page.headers().firstValue("Content-Type")).contains("text/html; charset=utf-8");
    }

    private static String digest(String page, String element) throws Exception {
        int start = page.indexOf("<" + element + ">") + element.length() + 2;
        byte[] text = page.substring(start, page.indexOf("</" + element + ">")).getBytes(StandardCharsets.UTF_8);
        return "sha256-"
                + Base64.getEncoder()
                        .encodeToString(MessageDigest.getInstance("SHA-256").digest(text));
    }

    @Test
    void theStateNeedsTheTokenAndThePageDoesNot() {
        var options = TestServers.options(folder).token("secret").build();
        try (var closed = ModelServer.start(options);
                var other = new RestClient(closed)) {
            assertThat(other.get("ui").status()).isEqualTo(200);
            assertThat(other.get("ui/state").status()).isEqualTo(401);
        }
    }

    @Test
    void anOptionLeavesThePageOut() {
        try (var without = ModelServer.start(
                        TestServers.options(folder).dashboard(false).build());
                var other = new RestClient(without)) {
            assertThat(other.get("ui").status()).isEqualTo(404);
            assertThat(other.get("").status()).isEqualTo(404);
            assertThat(other.get("ui/state").status()).isEqualTo(404);
        }
    }

    @Test
    void aBrowserShowsModelsAndTriesThem() throws Exception {
        try (var browser = Browser.start(profile)) {
            browser.open(client.uri("ui"));
            browser.await("document.querySelectorAll('#models tbody tr').length === 5");
            assertThat(browser.evaluate("document.querySelector('#models tbody').innerText"))
                    .contains(HOSTILE, "simple", "READY", "broken", "UNAVAILABLE");
            assertThat(browser.evaluate("document.images.length")).isEqualTo("0");
            for (String name : List.of("simple", "sum", HOSTILE)) {
                browser.evaluate("[...document.querySelectorAll('#models tbody tr')]"
                        + ".find(row => row.cells[0].textContent === '" + name + "').click()");
                browser.await("document.querySelector('#name').textContent.startsWith('" + name + " ')");
                browser.evaluate("document.querySelector('#send').click()");
                browser.await("/^[0-9]+, /.test(document.querySelector('#answer').textContent)");
                assertThat(browser.evaluate("document.querySelector('#answer').textContent"))
                        .startsWith("200, ")
                        .contains("\"outputs\":[");
            }
            browser.await("document.querySelectorAll('#charts svg rect').length >= 2");
            assertThat(browser.evaluate("document.title")).isEqualTo("Millrace server");
            assertThat(browser.complaints()).isEmpty();
        }
    }

    @Test
    void aBrowserShowsTheTimesOfARequest() throws Exception {
        String row = "{\"inputs\": [{\"name\": \"x\", \"datatype\": \"FP32\", \"shape\": [1, 2], \"data\": [1, 2]}]}";
        String path = "v2/models/"
                + URLEncoder.encode(HOSTILE, StandardCharsets.UTF_8).replace("+", "%20") + "/infer";
        try (var browser = Browser.start(profile)) {
            browser.open(client.uri("ui"));
            browser.await("document.querySelectorAll('#models tbody tr').length === 5");
            assertThat(client.post(path, row).status()).isEqualTo(200);
            browser.evaluate("document.querySelector('#toRequests').click()");
            browser.await("[...document.querySelectorAll('#recent tbody tr')].some(row =>"
                    + " row.cells[1].textContent === '" + HOSTILE + "' && row.cells[5].textContent === '200')");
            assertThat(browser.evaluate("getComputedStyle(document.querySelector('#overview')).display"))
                    .isEqualTo("none");
            browser.evaluate("[...document.querySelectorAll('#recent tbody tr')]"
                    + ".find(row => row.cells[1].textContent === '" + HOSTILE + "').click()");
            browser.await("document.querySelectorAll('#axis svg rect').length === 5");
            assertThat(browser.evaluate("document.querySelector('#axis svg').textContent"))
                    .contains("receive and read", "queue", "run", "write the answer", "µs");
            assertThat(browser.evaluate("document.querySelector('#facts').textContent"))
                    .contains(HOSTILE, "infer, HTTP/1.1");
            browser.evaluate("location.hash = 'request=999999'");
            browser.await("document.querySelector('#facts').textContent.includes('does not keep')");
            browser.evaluate("document.querySelector('#toModels').click()");
            browser.await("document.querySelector('#requests').hidden && document.querySelector('#times').hidden");
            assertThat(browser.evaluate("document.images.length")).isEqualTo("0");
            assertThat(browser.evaluate("document.title")).isEqualTo("Millrace server");
            assertThat(browser.complaints()).isEmpty();
        }
    }

    @Test
    void aBrowserAsksForTheToken() throws Exception {
        var options = TestServers.options(folder).token("secret").build();
        try (var closed = ModelServer.start(options);
                var other = new RestClient(closed);
                var browser = Browser.start(profile)) {
            browser.open(other.uri("ui"));
            browser.await("document.querySelector('#access')?.hidden === false");
            browser.evaluate(
                    "document.querySelector('#token').value = 'secret'; document.querySelector('#enter').click()");
            browser.await("document.querySelectorAll('#models tbody tr').length === 5");
            assertThat(browser.evaluate("document.querySelector('#access').hidden"))
                    .isEqualTo("true");
        }
    }
}
