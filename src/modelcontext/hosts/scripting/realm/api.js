// The interfaces of the API, after those of the platform: the conversions and helpers of product page.
import "../../page/realm/conversions.js";
import "../../page/realm/interfaces.js";
