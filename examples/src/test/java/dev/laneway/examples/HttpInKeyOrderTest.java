package dev.laneway.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class HttpInKeyOrderTest {
    @Test
    @DisplayName(
            "B18 B42 a service that refuses one call in seven still gets each account's calls in order, many accounts"
                    + " at once")
    void callsOfAnAccountStayInOrder() throws Exception {
        try (Cluster cluster = Shared.cluster();
                AccountService service = AccountService.start(HttpInKeyOrder.RECORDS)) {
            HttpInKeyOrder.run(cluster, service);

            assertThat(service.accepted()).hasSize(HttpInKeyOrder.ACCOUNTS);
            for (int account = 0; account < HttpInKeyOrder.ACCOUNTS; account++) {
                assertThat(service.accepted().get("account-" + account)).isEqualTo(transfers(account));
            }
            assertThat(service.requests()).isGreaterThan(HttpInKeyOrder.RECORDS);
            assertThat(service.mostAtOnce()).isGreaterThan(1).isLessThanOrEqualTo(HttpInKeyOrder.ACCOUNTS);
        }
    }

    private static List<String> transfers(int account) {
        return IntStream.iterate(account, i -> i < HttpInKeyOrder.RECORDS, i -> i + HttpInKeyOrder.ACCOUNTS)
                .mapToObj(String::valueOf)
                .toList();
    }
}
