package dev.laneway.cli.watch;

import dev.laneway.ops.observe.PrometheusSource;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.Set;
import java.util.TreeSet;

/** URLs with each address that a name has, since members come and go behind it. Stateless. */
public final class NamedEndpoints {
    private NamedEndpoints() {}

    static void check(String url) {
        CheckInputs.refuse(
                "--prometheus-each", url, () -> PrometheusSource.of(url).close());
    }

    /** Those of now; none while the name has no address, as one of a service without pods. */
    public static Set<String> of(String url) {
        Set<String> urls = new TreeSet<>();
        try {
            URI uri = URI.create(url);
            for (InetAddress address : InetAddress.getAllByName(uri.getHost())) {
                urls.add(new URI(
                                uri.getScheme(),
                                uri.getUserInfo(),
                                address.getHostAddress(),
                                uri.getPort(),
                                uri.getPath(),
                                uri.getQuery(),
                                null)
                        .toString());
            }
        } catch (UnknownHostException none) {
            return Set.of();
        } catch (URISyntaxException wrong) {
            throw new IllegalStateException("an address makes no URL", wrong);
        }
        return urls;
    }
}
